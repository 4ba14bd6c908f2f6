import { sha256 } from '@noble/hashes/sha2.js'
import { around, Members, parseDer, tags, type Value } from '../../../attestation/der-value.ts'
import { Buffer as Bytes } from './bytes.ts'
import { type PublicKey, readKey } from './key.ts'
import { isSignature } from './signature.ts'

// What the core takes from `node:crypto`, for engines that have none. The vectors show that it judges alike.

/** A SHA-256, as the core asks for it. */
export function hash(_algorithm: 'sha256', data: Uint8Array | string, _encoding: 'base64url'): string {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  return Bytes.from(sha256(bytes)).toString('base64url')
}

/** Whether a signature of ES256K, r and s side by side, is by a key. */
export function verify(
  _algorithm: 'sha256',
  signed: Uint8Array,
  { key }: { readonly key: PublicKey },
  signature: Uint8Array,
): boolean {
  try {
    const options = { prehash: false, lowS: false, format: 'compact' }
    return key.curve!.verify(signature, sha256(signed), key.point!, options)
  } catch {
    return false
  }
}

/** A certificate, for its dates, key and signature; the core reads the rest itself. */
export class X509Certificate {
  readonly validFromDate: Date
  readonly validToDate: Date
  readonly publicKey: PublicKey
  readonly #signed: Uint8Array
  readonly #algorithm: Value
  readonly #signature: Uint8Array
  /** Whether the algorithm is named alike within and beside what is signed. */
  readonly #isNamedAlike: boolean

  /** Throws when the bytes are no certificate, or hold a key that cannot be read. */
  constructor(der: Uint8Array) {
    const certificate = new Members(parseDer(Bytes.from(der) as unknown as Buffer))
    const signed = certificate.need(tags.sequence)
    this.#algorithm = certificate.need(tags.sequence)
    this.#signature = certificate.need(tags.bits).content
    this.#signed = signed.whole
    const members = new Members(signed)
    members.take(around(0))
    members.need(tags.integer)
    this.#isNamedAlike = members.need(tags.sequence).whole.equals(this.#algorithm.whole)
    members.need(tags.sequence)
    const validity = new Members(members.need(tags.sequence))
    this.validFromDate = takeTime(validity)
    this.validToDate = takeTime(validity)
    validity.end()
    members.need(tags.sequence)
    this.publicKey = readKey(members.need(tags.sequence))
  }

  verify(key: PublicKey): boolean {
    // The first byte says how many bits of the last do not count: a signature has only whole bytes.
    if (!this.#isNamedAlike || this.#signature[0] !== 0) return false
    try {
      return isSignature(this.#algorithm, key, this.#signed, this.#signature.subarray(1))
    } catch {
      return false
    }
  }
}

const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18

/** A time as RFC 5280 wants it (4.1.2.5): to the second, and of Greenwich. Another one is no time, and within no range. */
function takeTime(members: Members): Date {
  const short = members.take(UTC_TIME)?.content.toString('latin1')
  const long = short === undefined ? members.need(GENERALIZED_TIME).content.toString('latin1') : undefined
  const text = short === undefined ? long! : `${Number(short.slice(0, 2)) < 50 ? 20 : 19}${short}`
  const [, year, month, day, hours, minutes, seconds] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? []
  return new Date(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`)
}
