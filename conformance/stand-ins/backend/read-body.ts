import type { IncomingMessage } from 'node:http'

/** More bytes came than were allowed. */
export class BodyTooLarge extends Error {}

/** Reads a whole request body; throws `BodyTooLarge` beyond the limit, and when the client leaves. */
export async function readBody(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of message) {
    bytes += part.length
    if (bytes > maxBytes) throw new BodyTooLarge(`The body has more than ${maxBytes} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}
