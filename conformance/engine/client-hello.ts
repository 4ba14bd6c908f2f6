import * as assert from './assert.ts'

/** `session_ticket` and `pre_shared_key` (RFC 5077, RFC 8446). */
const TICKET = 35
const PRE_SHARED_KEY = 41

/** Record header, handshake header, version and random of a ClientHello. */
const FIXED_BYTES = 5 + 4 + 2 + 32

/** Whether the first bytes of a TLS connection offer a session that was made before. */
export function offersSession(hello: Buffer): boolean {
  assert.ok(hello[0] === 22 && hello[5] === 1, 'the connection does not begin with a ClientHello')
  return extensionsOf(hello).some(
    ({ type, length }) => type === PRE_SHARED_KEY || (type === TICKET && length > 0),
  )
}

function extensionsOf(hello: Buffer): readonly { readonly type: number; readonly length: number }[] {
  let at = FIXED_BYTES
  at += 1 + hello.readUInt8(at)
  at += 2 + hello.readUInt16BE(at)
  at += 1 + hello.readUInt8(at)
  const end = at + 2 + hello.readUInt16BE(at)
  const extensions: { type: number; length: number }[] = []
  for (at += 2; at < end; ) {
    const extension = { type: hello.readUInt16BE(at), length: hello.readUInt16BE(at + 2) }
    extensions.push(extension)
    at += 4 + extension.length
  }
  return extensions
}
