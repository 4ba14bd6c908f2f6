import { Members, membersOf, parseDer, tags, type Value } from '../../../attestation/der-value.ts'
import type { CurveFn } from './curves.ts'
import { edwards, ellipticOf } from './curves.ts'

/** What the core asks of Node's `KeyObject`, and what the checks of signatures need besides. */
export interface PublicKey {
  readonly asymmetricKeyType: string
  readonly asymmetricKeyDetails: {
    readonly modulusLength?: number
    readonly publicExponent?: bigint
    readonly namedCurve?: string
  }
  /** Its DER, as WebCrypto imports it. */
  readonly spki: Uint8Array
  /** Of RSA. */
  readonly modulus?: bigint
  /** Of a curve: the point as it stands in the key. */
  readonly point?: Uint8Array
  readonly curve?: CurveFn
}

const RSA = '2a864886f70d010101'
const RSA_PSS = '2a864886f70d01010a'
const ELLIPTIC = '2a8648ce3d0201'

/**
 * Reads a SubjectPublicKeyInfo. Throws for what OpenSSL cannot read: another structure, a point that is not on its
 * curve. A kind that is never accepted keeps its identifier as its name.
 */
export function readKey(info: Value): PublicKey {
  const spki = info.whole
  const members = new Members(info)
  const [algorithm, parameters] = membersOf(members.need(tags.sequence))
  const bits = members.need(tags.bits).content
  members.end()
  const kind = algorithm!.content.toString('hex')
  if (bits[0] !== 0) throw new TypeError('A key is made of whole bytes.')
  const key = bits.subarray(1)
  if (kind === RSA_PSS && parameters !== undefined) throw new TypeError('Parameters of a key are not read.')
  if (kind === RSA || kind === RSA_PSS)
    return { ...readRsa(key), asymmetricKeyType: kind === RSA ? 'rsa' : 'rsa-pss', spki }
  if (kind === ELLIPTIC) return readElliptic(parameters, key, spki)
  const edward = edwards.get(kind)
  if (edward === undefined) return { asymmetricKeyType: kind, asymmetricKeyDetails: {}, spki }
  edward.curve.Point.fromBytes(key)
  return { asymmetricKeyType: edward.name, asymmetricKeyDetails: {}, spki, point: key, curve: edward.curve }
}

function readRsa(key: Uint8Array & Buffer): Pick<PublicKey, 'asymmetricKeyDetails' | 'modulus'> {
  const members = new Members(parseDer(key))
  const [modulus, publicExponent] = [members.need(tags.integer), members.need(tags.integer)].map(naturalOf)
  members.end()
  return {
    asymmetricKeyDetails: { modulusLength: modulus!.toString(2).length, publicExponent: publicExponent! },
    modulus: modulus!,
  }
}

function readElliptic(parameters: Value | undefined, key: Uint8Array, spki: Uint8Array): PublicKey {
  const named = parameters?.tag === tags.oid ? ellipticOf(parameters.content.toString('hex')) : undefined
  // Curves that are spelled out, or have another name, are refused by whoever asks for the name.
  if (named === undefined) return { asymmetricKeyType: 'ec', asymmetricKeyDetails: {}, spki }
  named.curve.Point.fromBytes(key).assertValidity()
  const details = { namedCurve: named.name }
  return { asymmetricKeyType: 'ec', asymmetricKeyDetails: details, spki, point: key, curve: named.curve }
}

/** The number that an INTEGER holds. Throws for none and for a negative one. */
function naturalOf({ content }: Value): bigint {
  if (content.length === 0 || (content[0] ?? 0) >= 0x80) throw new TypeError('This is not a natural number.')
  return BigInt(`0x${content.toString('hex')}`)
}
