import canonicalize from 'canonicalize'
import { type Expectation, parseDigest } from '#attestation'
import type { components } from '#contract/types'
import { isCapsuleExpectation } from '#contract/validators/capsule-expectation'
import { attestedDocument } from '#egress/hardware.ts'

/** What a user expects of an endpoint, as a document; its schema is spec/documents/capsule.tsp. */
export type ExpectationDocument = components['schemas']['CapsuleExpectation']

/** Writes down what is expected, so that a verdict can be looked at later under what it was given under. */
export function expectationDocument(
  hostname: string,
  { roots, pins, policies = [], maxBundleAgeMs }: Expectation,
): ExpectationDocument {
  return {
    hostname,
    roots: roots.map(({ der, requireLeafName, attested }) => ({
      pem: pemOf(der),
      require_leaf_name: requireLeafName,
      ...(attested && { attested: attestedDocument(attested) }),
    })),
    pins: [...pins],
    policies: policies.map(({ name, allow }) => ({ name, allow })),
    max_bundle_age_ms: maxBundleAgeMs,
  }
}

/** Its bytes: canonical JSON, so that equal expectations have equal digests. */
export function expectationBytes(document: ExpectationDocument): Buffer {
  return Buffer.from(canonicalize(document) ?? '')
}

/** Whether two say the same of an endpoint, policies by their text. */
export function areEqual(one: Expectation, other: Expectation): boolean {
  return bytesOf(one).equals(bytesOf(other))
}

/** Reads such bytes; throws on everything else. */
export function parseExpectation(bytes: Uint8Array): ExpectationDocument {
  const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
  if (!isCapsuleExpectation(value)) throw new TypeError('This does not say what is expected of an endpoint.')
  for (const pin of value.pins) parseDigest(pin)
  return value
}

function bytesOf(expected: Expectation): Buffer {
  return expectationBytes(expectationDocument('', expected))
}

function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
