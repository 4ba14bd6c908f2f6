import type { ServerResponse } from 'node:http'

/** A longer piece is not copied into its frame (ours): Node's way costs less then. */
const LONGEST_COPIED_BYTES = 16_384

const CR = 0x0d
const LF = 0x0a

/**
 * Writes a piece of an answer's body, as `response.write` does, once its head was written. Of what goes as a chunk (RFC 9112,
 * 7.1) Node makes four writes, which it gathers again; here its length, the piece and the line ends are one.
 * Returns whether more may be written at once; after `false` wait for `drain`. Not for a response that is corked: Node keeps
 * the chunks of such a one apart.
 */
export function writePiece(response: ServerResponse, bytes: Uint8Array): boolean {
  // A client of HTTP/1.0, or of an answer with a length, gets it bare; and a chunk of nothing would end the body.
  const isFramed = response.chunkedEncoding && bytes.length > 0 && bytes.length <= LONGEST_COPIED_BYTES
  if (!isFramed) return response.write(bytes)
  // What a reader that is behind has not taken yet would keep whole pieces of Node's pool, of 64 KiB for its few bytes.
  const allocate = response.writableLength > 0 ? Buffer.allocUnsafeSlow : Buffer.allocUnsafe
  const frame = framed(bytes, allocate)
  // Meanwhile Node passes on what it is given.
  response.chunkedEncoding = false
  try {
    return response.write(frame)
  } finally {
    response.chunkedEncoding = true
  }
}

function framed(bytes: Uint8Array, allocate: (size: number) => Buffer): Buffer {
  const { length } = bytes
  const digits = length < 0x10 ? 1 : length < 0x100 ? 2 : length < 0x1000 ? 3 : 4
  const from = digits + 2
  const end = from + length
  const frame = allocate(end + 2)
  for (let at = digits - 1, left = length; at >= 0; at--, left >>= 4) frame[at] = hexDigit(left & 0xf)
  frame[digits] = CR
  frame[digits + 1] = LF
  frame.set(bytes, from)
  frame[end] = CR
  frame[end + 1] = LF
  return frame
}

function hexDigit(value: number): number {
  return value < 10 ? 0x30 + value : 0x57 + value
}
