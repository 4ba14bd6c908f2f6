const WIRE = /^sha256\/[A-Za-z0-9_-]{43}$/

/** A digest as people compare it (`sha256:` and 64 hexadecimal digits), from its wire form; what is none stays. */
export function inHex(wire: string): string {
  return WIRE.test(wire) ? `sha256:${toHex(fromBase64Url(wire.slice('sha256/'.length)))}` : wire
}

/** The wire form of a SHA-256: `sha256/` and base64url. */
export function inWireForm(digest: Uint8Array): string {
  const text = btoa(String.fromCharCode(...digest))
  return `sha256/${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}

/** The hexadecimal digits of bytes. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The bytes of base64url without padding. Throws for what is none. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new TypeError('This is no base64url.')
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (char) => char.charCodeAt(0))
}
