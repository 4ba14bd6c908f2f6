import { sign } from 'node:crypto'
import { BitString, Integer, Sequence, UTCTime } from 'asn1js'
import { AlgorithmIdentifier } from 'pkijs'
import type { Issuer } from '../certificates/certificate.ts'

const VERSION_2 = 1
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'

/** A list of an authority that has revoked nothing, in DER (RFC 5280, 5). */
export function emptyList({ name, privateKey }: Issuer, since: Date, until: Date): Buffer {
  const algorithm = new AlgorithmIdentifier({ algorithmId: ECDSA_WITH_SHA256 }).toSchema()
  const list = new Sequence({
    value: [
      new Integer({ value: VERSION_2 }),
      algorithm,
      name.toSchema(),
      ...[since, until].map((valueDate) => new UTCTime({ valueDate })),
    ],
  })
  const signature = sign('sha256', new Uint8Array(list.toBER()), privateKey)
  const signed = new Sequence({ value: [list, algorithm, new BitString({ valueHex: signature })] })
  return Buffer.from(signed.toBER())
}
