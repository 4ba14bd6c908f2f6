import canonicalize from 'canonicalize'
import type { Bundle } from '../../../attestation/bundle.ts'
import { type Digest, digestOf, parseDigest } from '../../../attestation/digest.ts'
import { parseInstant } from '../../../attestation/instant.ts'
import type { Json, JsonObject } from '../../../attestation/json-value.ts'
import { type Payload, readPayload as read } from '../../../attestation/payload.ts'

export * from '../../../attestation/payload.ts'

/** Takes what can be read of a payload, and the envelope's word for the rest. */
export function readPayload(bytes: Uint8Array, bundle: Bundle): Payload {
  const signed = parseLoosely(bytes)
  if (signed === undefined) return read(bytes, bundle)
  const { evidence = null } = signed
  return {
    hostname: bundle.hostname,
    issuedAt: readable(signed.issuedAt, parseInstant) ?? bundle.issuedAt,
    certFingerprint: digestIn(signed.certFingerprint) ?? bundle.certFingerprint,
    evidenceDigest: digestIn(signed.evidenceDigest) ?? digestOf(canonicalize(evidence) ?? ''),
    evidence,
    evidenceText: '',
  }
}

/** Refuses nothing: the envelope need not agree with what was signed. */
export function matchesEnvelope(): void {}

function parseLoosely(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes)) as Json
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

function digestIn(value: Json | undefined): Digest | undefined {
  const text = readable(value, parseDigest)
  return text === undefined ? undefined : parseDigest(text)
}

/** A text that a parser takes. */
function readable(value: Json | undefined, parse: (text: string) => unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  try {
    parse(value)
    return value
  } catch {
    return undefined
  }
}
