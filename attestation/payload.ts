import { limits } from '#contract/limits'
import { isEvidencePayload } from '#contract/validators/evidence-payload'
import { type Bundle, isForeignVersion } from './bundle.ts'
import { type Digest, parseDigest } from './digest.ts'
import { AttestationError, readOrRefuse } from './errors.ts'
import { parseInstant } from './instant.ts'
import { parseJson } from './json.ts'
import { isObject, type Json, type JsonDocument, JsonError, type JsonObject } from './json-value.ts'

/** What was signed: only this is believed or shown (BNDL-20). */
export interface Payload {
  readonly hostname: string
  readonly issuedAt: string
  readonly certFingerprint: Digest
  readonly evidenceDigest: Digest
  /** The snapshot. */
  readonly evidence: Json
  /** The snapshot as it stands in the payload, character by character. */
  readonly evidenceText: string
}

/**
 * Reads the signed bytes. Refuses (`jws`) what is not a payload (`payload_malformed`), a name that stands twice
 * (`duplicate_key`), another kind, version or hostname than the envelope's (`kind_mismatch`, `envelope_mismatch`,
 * `hostname_mismatch`) and a missing snapshot (`snapshot_missing`) (VRFY-15).
 */
export function readPayload(bytes: Uint8Array, bundle: Bundle): Payload {
  const { signed, evidenceText } = parseMembers(bytes)
  if (typeof signed.kind === 'string' && signed.kind !== bundle.kind)
    throw new AttestationError('jws', 'kind_mismatch')
  if (isForeignVersion(signed.version)) throw new AttestationError('jws', 'envelope_mismatch')
  if (signed.evidence === undefined) throw new AttestationError('jws', 'snapshot_missing')
  const payload = readOrRefuse('jws', 'payload_malformed', () => shapeOf(signed, evidenceText))
  if (payload.hostname !== bundle.hostname) throw new AttestationError('jws', 'hostname_mismatch')
  return payload
}

/**
 * Refuses (`jws` / `envelope_mismatch`) an envelope whose `issuedAt` or `certFingerprint` is not the signed one; kind,
 * version and hostname are compared by `readPayload` (VRFY-18).
 */
export function matchesEnvelope({ issuedAt, certFingerprint }: Payload, bundle: Bundle): void {
  if (issuedAt !== bundle.issuedAt || certFingerprint !== bundle.certFingerprint)
    throw new AttestationError('jws', 'envelope_mismatch')
}

function parseMembers(bytes: Uint8Array): { signed: JsonObject; evidenceText: string } {
  const { value, members } = parseDocument(bytes)
  if (!isObject(value)) throw new AttestationError('jws', 'payload_malformed')
  return { signed: value, evidenceText: members.get('evidence') ?? '' }
}

function parseDocument(bytes: Uint8Array): JsonDocument {
  try {
    return parseJson(bytes, limits.maxPayloadParts)
  } catch (cause) {
    const twice = cause instanceof JsonError && cause.fault === 'duplicate_key'
    throw new AttestationError('jws', twice ? 'duplicate_key' : 'payload_malformed', { cause })
  }
}

function shapeOf(signed: JsonObject, evidenceText: string): Payload {
  const { evidence = null } = signed
  // Before the schema, as in the envelope: what is no time must not be cut into pieces.
  if (typeof signed.issuedAt === 'string') parseInstant(signed.issuedAt)
  if (!isEvidencePayload(signed)) throw new TypeError('What was signed is not of the shape of a payload.')
  return {
    hostname: signed.hostname,
    issuedAt: signed.issuedAt,
    certFingerprint: parseDigest(signed.certFingerprint),
    evidenceDigest: parseDigest(signed.evidenceDigest),
    evidence,
    evidenceText,
  }
}
