import { bitString, explicit, int, objectId, octetString, seq, time } from '../der.ts'
import { commonName } from '../extensions.ts'
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
}

const ECDSA_SHA256 = seq(objectId('1.2.840.10045.4.3.2'))
const NUMBER = seq(objectId('2.5.29.20'), octetString(int(1)))

/** A list in DER. */
export function revocationList({
  issuer,
  signer,
  thisUpdate,
  nextUpdate,
  revoked = [],
}: RevocationList): Buffer {
  const entries = revoked.map((serial) => seq(int(serial), time(thisUpdate)))
  const signed = seq(
    int(1),
    ECDSA_SHA256,
    commonName(issuer),
    time(thisUpdate),
    time(nextUpdate),
    ...(entries.length === 0 ? [] : [seq(...entries)]),
    explicit(0, seq(NUMBER)),
  )
  return seq(signed, ECDSA_SHA256, bitString(sign(signed, signer, { hash: 'sha256', form: 'der' })))
}
