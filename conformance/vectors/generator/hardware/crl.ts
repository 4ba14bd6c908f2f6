import { bitString, explicit, int, objectId, seq, time } from '../der.ts'
import { commonName, type Extension, encode, extension } from '../extensions.ts'
import type { TestKey } from '../keys.ts'
import { sign } from '../sign.ts'

/** A list of revoked certificates, and who is named as its issuer and signs it. */
export interface RevocationList {
  readonly issuer: string
  readonly signer: TestKey
  readonly thisUpdate: string
  readonly nextUpdate: string
  /** Serial numbers. */
  readonly revoked?: readonly number[]
  /** The version as it is written: 1 for version 2. */
  readonly version?: number
  /** The algorithm that is named within the signature, and the one beside it. */
  readonly inner?: Uint8Array
  readonly outer?: Uint8Array
  /** Beside its number. */
  readonly extensions?: readonly Extension[]
  /** Of every entry. */
  readonly entryExtensions?: readonly Extension[]
  /** Changes the list as it stands. */
  readonly spoil?: (list: Buffer) => Buffer
}

const ECDSA_SHA256 = seq(objectId('1.2.840.10045.4.3.2'))
/** An algorithm that nobody signed these lists with. */
export const ECDSA_SHA384 = seq(objectId('1.2.840.10045.4.3.3'))
const NUMBER = extension('2.5.29.20', int(1), false)

/** A list in DER. */
export function revocationList(list: RevocationList): Buffer {
  const { issuer, signer, thisUpdate, nextUpdate, revoked = [], entryExtensions = [] } = list
  const { version = 1, inner = ECDSA_SHA256, outer = ECDSA_SHA256, extensions = [] } = list
  const said = entryExtensions.length === 0 ? [] : [seq(...entryExtensions.map(encode))]
  const entries = revoked.map((serial) => seq(int(serial), time(thisUpdate), ...said))
  const signed = seq(
    int(version),
    inner,
    commonName(issuer),
    time(thisUpdate),
    time(nextUpdate),
    ...(entries.length === 0 ? [] : [seq(...entries)]),
    explicit(0, seq(...[NUMBER, ...extensions].map(encode))),
  )
  const made = seq(signed, outer, bitString(sign(signed, signer, { hash: 'sha256', form: 'der' })))
  return list.spoil?.(made) ?? made
}
