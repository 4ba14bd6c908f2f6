import { limits } from '#contract/limits'
import type { EvidenceBundle } from '#contract/models'
import { isEvidenceBundle } from '#contract/validators/evidence-bundle'
import { type Digest, parseDigest } from './digest.ts'
import { AttestationError, readOrRefuse } from './errors.ts'
import { equalHostnames } from './hostname.ts'
import { parseInstant } from './instant.ts'
import { parseJson } from './json.ts'
import { isObject, type Json, JsonError, type JsonObject } from './json-value.ts'

/** The envelope as it was published; nothing in it is to be believed before `jws` has passed (BNDL-20). */
export interface Bundle {
  readonly kind: string
  readonly hostname: string
  readonly issuedAt: string
  readonly certChain: readonly string[]
  readonly certFingerprint: Digest
  readonly tlsLeaf?: string
  readonly jws: string
  /** Of any form; no more is to be believed of it than what a vendor of hardware has signed in it. */
  readonly rootCaTeeQuote: Json | undefined
}

const KIND = 'DeploymentEvidence'

/**
 * Reads a bundle and refuses one for another hostname (`fetch` / `hostname_mismatch`), and all that `parseBundle`
 * refuses. No certificate and no signature is looked at (VRFY-05).
 */
export function readBundle(bytes: Uint8Array, hostname: string): Bundle {
  const bundle = parseBundle(bytes)
  if (!equalHostnames(bundle.hostname, hostname)) throw new AttestationError('fetch', 'hostname_mismatch')
  return bundle
}

/**
 * Reads a bundle, of any hostname. Refuses (`fetch`) what is beyond the size that is read (`too_large`), no JSON
 * (`not_json`), of another kind or version (`unsupported_kind`, `unsupported_version`) or of another shape
 * (`malformed_bundle`).
 */
export function parseBundle(bytes: Uint8Array): Bundle {
  if (bytes.byteLength > limits.maxBundleBytes) throw new AttestationError('fetch', 'too_large')
  const envelope = parseEnvelope(bytes)
  if (typeof envelope.kind === 'string' && envelope.kind !== KIND)
    throw new AttestationError('fetch', 'unsupported_kind')
  if (isForeignVersion(envelope.version)) throw new AttestationError('fetch', 'unsupported_version')
  return readOrRefuse('fetch', 'malformed_bundle', () => shapeOf(envelope))
}

/** Whether a value is a number or string other than 1; deployed platforms write the version as a string (BNDL-15). */
export function isForeignVersion(version: Json | undefined): boolean {
  return (typeof version === 'number' && version !== 1) || (typeof version === 'string' && version !== '1')
}

function parseEnvelope(bytes: Uint8Array): JsonObject {
  try {
    const { value } = parseJson(bytes, limits.maxEnvelopeParts)
    if (isObject(value)) return value
  } catch (cause) {
    const fault = cause instanceof JsonError ? cause.fault : 'ambiguous'
    const isSaid = fault === 'not_json' || fault === 'too_large'
    throw new AttestationError('fetch', isSaid ? fault : 'malformed_bundle', { cause })
  }
  throw new AttestationError('fetch', 'malformed_bundle')
}

function shapeOf(envelope: JsonObject): Bundle {
  // Before the schema: its format of times cuts a text at each `T` and blank, a million pieces of what is no time.
  if (typeof envelope.issuedAt === 'string') parseInstant(envelope.issuedAt)
  const document: unknown = envelope
  if (!isEvidenceBundle(document)) throw new TypeError('The document is not of the shape of a bundle.')
  const { kind, hostname, issuedAt, certChain, certFingerprint, tlsLeaf, jws }: EvidenceBundle = document
  return {
    kind,
    hostname,
    issuedAt,
    certChain,
    certFingerprint: parseDigest(certFingerprint),
    ...(tlsLeaf === undefined ? {} : { tlsLeaf }),
    jws,
    rootCaTeeQuote: envelope.rootCaTeeQuote,
  }
}
