import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { sayLast } from '#base/last-words.ts'
import { RawHeaders } from '../raw-headers.ts'
import { bodyOf, headersTooLarge, headersTooSlow, malformed, type Refusal, statusOf } from '../refusal.ts'

/** Headers that stand once: of two, each reader on the way might take another. */
const SINGLE = ['host', 'authorization']

/** Whether a request could be read in two ways, which makes it no request at all. */
export function isAmbiguous({ rawHeaders }: IncomingMessage): boolean {
  const { names } = new RawHeaders(rawHeaders)
  return SINGLE.some((single) => names.indexOf(single) !== names.lastIndexOf(single))
}

/** By Node's code. */
const refusals: Readonly<Record<string, () => Refusal>> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: headersTooSlow,
}

/** Answers what is no request that this listener can read, as the router does (REQ-61, REQ-62, REQ-72). */
export function refuseSocket(socket: Duplex, code?: string): void {
  const refusal = (refusals[code ?? ''] ?? malformed)()
  const body = bodyOf(refusal)
  const head = [
    `HTTP/1.1 ${statusOf(refusal)} ${STATUS_CODES[statusOf(refusal)]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: req-${randomUUID()}`,
    'Connection: close',
  ]
  sayLast(socket, `${head.join('\r\n')}\r\n\r\n${body}`)
}
