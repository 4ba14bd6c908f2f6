import type { KeyObject, X509Certificate } from 'node:crypto'
import canonicalize from 'canonicalize'
import { limits } from '#contract/limits'
import type { SignatureAlgorithm } from '#contract/models'
import type { Snapshot } from '../deployment/snapshot.ts'
import { type WireDigest, wireDigest } from '../digest.ts'
import type { SimulatedQuote } from '../simulation/simulation.ts'
import { signCompact } from './jws.ts'

/** Who signs bundles: a key, and certificates from its own to the root. */
export interface Signer {
  readonly algorithm: SignatureAlgorithm
  readonly privateKey: KeyObject
  readonly chain: readonly X509Certificate[]
}

/** What a bundle is to say. */
export interface Statement {
  readonly hostname: string
  readonly issuedAt: Date
  /** The certificate that TLS clients are shown. */
  readonly leaf: X509Certificate
  readonly snapshot: Snapshot
  /** A quote about the root, where hardware is played; unsigned, as a quote proves itself. */
  readonly quote?: SimulatedQuote | undefined
}

/** A bundle as it is published, and what it says. */
export interface Publication {
  readonly bytes: Buffer
  readonly issuedAt: Date
  readonly certFingerprint: WireDigest
  readonly evidenceDigest: WireDigest
}

const KIND = 'DeploymentEvidence'
const VERSION = 1
/** There is no hardware below this platform. */
const NO_QUOTE = { status: 'not-implemented' }

/** Signs a bundle (BNDL-09). Throws `BundleTooLarge` for more bytes, names or values than verifiers read. */
export async function signBundle(statement: Statement, signer: Signer): Promise<Publication> {
  const { leaf, snapshot, issuedAt, hostname, quote } = statement
  const certFingerprint = wireDigest(leaf.raw)
  const signed = { version: VERSION, kind: KIND, hostname, issuedAt: issuedAt.toISOString(), certFingerprint }
  const { evidence, digest: evidenceDigest } = snapshot
  // In canonical form the snapshot's bytes inside the payload are those that were digested.
  const members = { ...signed, evidenceDigest, evidence }
  const parts = partsOf(members)
  if (parts > limits.maxPayloadParts)
    throw new BundleTooLarge('names and values', parts, limits.maxPayloadParts)
  const payload = canonicalize(members)!
  const bundle = {
    ...signed,
    certChain: signer.chain.map(String),
    tlsLeaf: String(leaf),
    jws: await signCompact(Buffer.from(payload), signer.algorithm, signer.privateKey),
    rootCaTeeQuote: quote ?? NO_QUOTE,
  }
  const bytes = Buffer.from(JSON.stringify(bundle))
  if (bytes.length > limits.maxBundleBytes)
    throw new BundleTooLarge('bytes', bytes.length, limits.maxBundleBytes)
  return { bytes, issuedAt, certFingerprint, evidenceDigest }
}

/** A bundle with more bytes, or more names and values of JSON, than verifiers read. */
export class BundleTooLarge extends Error {
  constructor(unit: string, count: number, most: number) {
    super(`The deployment is too large: its bundle has ${count} ${unit} and verifiers read ${most}.`)
  }
}

/** How many names and values a document of JSON has; what is left out has none. */
function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  const values: readonly unknown[] = Object.values(value)
  const named = Array.isArray(value) ? values : values.filter((one) => one !== undefined)
  return named.reduce<number>((sum, one) => sum + partsOf(one), 1 + (Array.isArray(value) ? 0 : named.length))
}
