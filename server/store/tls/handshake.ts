import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { isOutage } from '../outage.ts'
import { readCredentials } from './files.ts'
import type { TlsParameters } from './parameters.ts'

/**
 * Bytes that may wait in a socket before it asks whoever writes to wait as well: no end of them. The driver would take a
 * transaction for none whose beginning fills a socket (connection.ts); and when one has room again (`drain`), it hands
 * the connection to others, who may stand within a transaction then.
 */
export const BOUNDLESS = Number.MAX_SAFE_INTEGER

/** Node's types do not know it. A TLS socket has one mark for both directions; all that is read is used at once. */
const boundless = { highWaterMark: BOUNDLESS }

/** The server and this program do not agree on how their connection is protected. */
export class DatabaseTlsError extends Error {
  override readonly name = 'DatabaseTlsError'
}

/** Length and code of PostgreSQL's SSLRequest. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const YES = 'S'
const ALPN = 'postgresql'

/**
 * Asks the server whether it speaks TLS. Throws `DatabaseTlsError` when more than its one letter arrives: somebody on
 * the way could have put in what would then be read as if it had come protected.
 */
export async function offersTls(socket: Socket, signal: AbortSignal): Promise<boolean> {
  socket.write(SSL_REQUEST)
  const answer = await nextChunk(socket, signal)
  if (answer.length !== 1) throw new DatabaseTlsError('The database answered more than was asked')
  return answer.toString('latin1') === YES
}

/** What is thrown for a server that has hung up: an outage, as if it had been noticed by a write. */
export function connectionClosed(): Error {
  return Object.assign(new Error('the database closed the connection'), { code: 'ECONNRESET' })
}

/** The next piece that arrives; the socket stands still until somebody reads on. Throws when it ends before. */
export async function nextChunk(socket: Socket, signal: AbortSignal): Promise<Buffer> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  try {
    const [chunk] = (await Promise.race([
      once(socket, 'data', { signal: either }),
      once(socket, 'close', { signal: either }).then(() => {
        throw connectionClosed()
      }),
    ])) as [Buffer]
    return chunk
  } finally {
    socket.pause()
    stop.abort()
  }
}

/**
 * Goes on with TLS on a connection. Throws `DatabaseTlsError` when the server's certificate is not accepted, as the
 * mode has it: any, one that the roots vouch for, or one of these that names `host`.
 */
export async function secure(
  socket: Socket,
  host: string,
  parameters: TlsParameters,
  signal: AbortSignal,
): Promise<Socket> {
  const { mode, minVersion, maxVersion, sendsName, isDirect } = parameters
  const { verifies, ...credentials } = readCredentials(parameters)
  const secured = connect({
    ...credentials,
    socket,
    host,
    ...(sendsName && isIP(host) === 0 && { servername: host }),
    ...(isDirect && { ALPNProtocols: [ALPN] }),
    minVersion,
    ...(maxVersion && { maxVersion }),
    rejectUnauthorized: verifies,
    ...boundless,
    // The name is looked at in one mode alone.
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  })
  secured.on('error', () => {})
  try {
    await once(secured, 'secureConnect', { signal })
    // Who speaks TLS from the first byte on may be a server of something else, which the certificate is for as well.
    if (isDirect && secured.alpnProtocol !== ALPN) throw new Error('the server did not agree to PostgreSQL')
    return secured
  } catch (cause) {
    secured.destroy()
    socket.destroy()
    if (isOutage(cause) || signal.aborted) throw cause
    const roots =
      parameters.rootCertificates === undefined ? '' : `, sslrootcert=${parameters.rootCertificates}`
    const message = `No TLS with the database (sslmode=${mode}${roots}): ${(cause as Error).message}`
    throw new DatabaseTlsError(message, { cause })
  }
}
