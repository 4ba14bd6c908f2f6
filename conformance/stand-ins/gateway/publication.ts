import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type Answer, EVIDENCE } from './gateway.ts'

/** A gateway that publishes what it is told, byte for byte, and has nothing behind it. */
export interface Publication {
  /** With `/v1`. */
  readonly url: string
  /** Paths of the requests for anything but evidence. */
  readonly sent: readonly string[]
  /** Answers evidence so from now on. */
  answer(answer: Answer): void
  close(): void
}

/** What it shows on connections, in PEM. */
export interface Shown {
  readonly certificate: string
  readonly key: string
}

/** What anybody gets who trusts it: an empty list of models. */
const LIST = '{"object":"list","data":[]}'

/** Starts one on loopback. It keeps no process alive. */
export async function startPublication(
  { certificate: cert, key }: Shown,
  first: Answer,
): Promise<Publication> {
  let published = first
  const sent: string[] = []
  const server = createServer({ cert, key }, (incoming, response) => {
    const { url = '' } = incoming
    if (url !== EVIDENCE) sent.push(url)
    const { status, headers, body } = url === EVIDENCE ? published : listed
    incoming.resume()
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  // Whoever leaves in the middle of a handshake does what it should.
  server.on('tlsClientError', () => {})
  server.on('connection', (socket: Socket) => socket.unref())
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    sent,
    answer(answer) {
      published = answer
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const listed: Answer = { status: 200, headers: { 'x-request-id': 'req_of_the_gateway' }, body: LIST }
