/** The encodings that the core asks Node's `Buffer` for. */
type Encoding = 'hex' | 'base64' | 'base64url' | 'latin1'

/** Bytes as the core holds them: what it uses of Node's `Buffer`, and no more. */
class Bytes extends Uint8Array {
  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, index) => byte === other[index])
  }

  readUIntBE(at: number, count: number): number {
    return this.subarray(at, at + count).reduce((number, byte) => number * 256 + byte, 0)
  }

  readInt32BE(at: number): number {
    return this.readUIntBE(at, 4) | 0
  }

  override toString(encoding?: Encoding): string {
    if (encoding === 'hex') return Array.from(this, (byte) => byte.toString(16).padStart(2, '0')).join('')
    let latin1 = ''
    for (const byte of this) latin1 += String.fromCharCode(byte)
    if (encoding === 'latin1') return latin1
    if (encoding === undefined) return new TextDecoder().decode(this)
    const base64 = btoa(latin1)
    return encoding === 'base64'
      ? base64
      : base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  }
}

function fromHex(text: string): number[] {
  return (text.match(/^(?:[0-9A-Fa-f]{2})*/)?.[0].match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))
}

/** Both alphabets; the first padding ends it, as in Node. */
function fromBase64(text: string): Uint8Array {
  const letters = text
    .split('=', 1)[0]!
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '')
  // One letter alone is no byte.
  const whole = letters.length % 4 === 1 ? letters.slice(0, -1) : letters
  return Uint8Array.from(atob(whole), (letter) => letter.charCodeAt(0))
}

/** Put in the place of Node's global: what is not of an encoding is skipped or ends it, as there. */
export const Buffer = {
  alloc: (length: number): Bytes => new Bytes(length),
  from(source: string | ArrayLike<number>, encoding?: Encoding): Bytes {
    if (typeof source !== 'string') return new Bytes(source)
    if (encoding === undefined) return new Bytes(new TextEncoder().encode(source))
    return new Bytes(encoding === 'hex' ? fromHex(source) : fromBase64(source))
  },
}
