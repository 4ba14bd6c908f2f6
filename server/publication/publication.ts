import { X509Certificate } from 'node:crypto'
import { type Digest, inspectBundle, type TeeLabel, teeLabelOf } from '#attestation'

/** A bundle as it was published: its bytes, and what they say. Nothing of it has been verified (EVID-03). */
export interface Publication {
  /** As received; never re-serialised (EVID-24). */
  readonly bytes: Buffer
  readonly hostname: string
  /** Wire form. */
  readonly digest: Digest
  readonly issuedAt: Date
  /** What the evidence names as hardware; null when it names nothing known (MODL-10). */
  readonly tee: TeeLabel | null
}

/** Reads what a bundle says. Throws when it is not a bundle. */
export function parsePublication(bytes: Buffer): Publication {
  const { bundle, payload, issuedAt } = inspectBundle(bytes)
  const { hostname, evidenceDigest: digest } = payload
  return { bytes, hostname, digest, issuedAt, tee: teeLabelOf(rootOf(bundle.certChain)) }
}

function rootOf(certChain: readonly string[]): Buffer | undefined {
  try {
    return new X509Certificate(certChain.at(-1) ?? '').raw
  } catch {
    return undefined
  }
}
