import { lookup } from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { connect, createSecureContext, type TLSSocket } from 'node:tls'
import { AttestationError, type Digest, digestOf } from '#attestation'
import type { Target } from './target.ts'
import { openTunnel } from './tunnel.ts'

/** A TLS connection and the certificate that was seen on it. */
export interface Dialled {
  readonly socket: TLSSocket
  readonly leaf: Digest
}

/** How to dial; tests pass a `connect` that misbehaves. */
export interface DialOptions {
  /** Gives up the attempt; a connection that has come about is the caller's. */
  readonly signal: AbortSignal
  readonly connect?: typeof connect
}

/** A connection that did not come about. */
export class DialError extends Error {
  override readonly name = 'DialError'
  readonly reason: 'unreachable' | 'timeout' | 'tls_failed'

  constructor(reason: DialError['reason'], cause?: unknown) {
    super(`No connection to the endpoint: ${reason}.`, { cause })
    this.reason = reason
  }
}

// No certificate authority is asked: which certificate may stand here is what the evidence says, nobody else.
const secureContext = createSecureContext({ minVersion: 'TLSv1.3', ca: [] })

/** Notices a peer that has gone without a word (ours). */
const KEEP_ALIVE_PROBE_MS = 60_000

/**
 * Opens a TLS connection and looks at its certificate before anybody can write to it. No session is ever offered: on
 * a resumed one the server shows no certificate (CONN-03).
 */
export async function dial(target: Target, options: DialOptions): Promise<Dialled> {
  const { tunnel } = target
  if (tunnel === undefined) return shakeHands(target, undefined, options)
  const carrier = await openTunnel(tunnel, target, options.signal).catch((error: Error) => {
    throw new DialError(options.signal.aborted ? 'timeout' : 'unreachable', error)
  })
  return shakeHands(target, carrier, options)
}

function shakeHands(
  { hostname, host, port }: Target,
  carrier: Socket | undefined,
  { signal, connect: open = connect }: DialOptions,
): Promise<Dialled> {
  return new Promise((resolve, reject) => {
    const socket = open({
      ...(carrier === undefined ? { host, port, lookup: lookupHost } : { socket: carrier }),
      // An address is no server name.
      servername: isIP(hostname) === 0 ? hostname : '',
      secureContext,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    })
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
    let failure: DialError['reason'] = carrier === undefined ? 'unreachable' : 'tls_failed'
    const fail = (error: Error) => {
      settle()
      discard(socket)
      reject(error)
    }
    const onError = (error: Error) => fail(new DialError(failure, error))
    const onClose = () => fail(new DialError(failure))
    const onAbort = () => fail(new DialError('timeout', signal.reason))
    const settle = () => {
      signal.removeEventListener('abort', onAbort)
      socket.off('error', onError).off('close', onClose)
    }
    socket.once('error', onError).once('close', onClose)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    socket.once('connect', () => {
      failure = 'tls_failed'
    })
    socket.once('secureConnect', () => {
      const leaf = observeLeaf(socket)
      if (leaf === undefined) return fail(new AttestationError('tls-fingerprint', 'leaf_not_observed'))
      settle()
      return resolve({ socket, leaf })
    })
  })
}

/** Closes a connection that is not used, and ignores its later errors. */
export function discard(socket: TLSSocket): void {
  socket.on('error', () => {}).destroy()
}

function observeLeaf(socket: TLSSocket): Digest | undefined {
  if (socket.isSessionReused()) return undefined
  const { raw }: { raw?: Buffer } = socket.getPeerCertificate() ?? {}
  return raw === undefined ? undefined : digestOf(raw)
}

/** Names under `.localhost` are this machine, whether or not its resolver knows (RFC 6761, 6.3). */
const lookupHost: LookupFunction = (host, options, callback) =>
  lookup(/(^|\.)localhost$/i.test(host) ? 'localhost' : host, options, callback)
