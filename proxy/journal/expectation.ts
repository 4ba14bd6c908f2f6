import canonicalize from 'canonicalize'
import { parseDigest } from '#attestation'
import type { components } from '#contract/types'
import { isCapsuleExpectation } from '#contract/validators/capsule-expectation'
import type { Approval } from '#egress/evidence/attest.ts'
import type { CelPolicy } from '../policy/cel.ts'

/** What a user expects of an endpoint, as a document; its schema is spec/documents/capsule.tsp. */
export type ExpectationDocument = components['schemas']['CapsuleExpectation']

/** What a user expects, with the policies as they were written. */
export interface WrittenApproval extends Approval {
  readonly policies: readonly CelPolicy[]
}

/** Writes down what is expected, so that a verdict can be looked at later under what it was given under. */
export function expectationDocument(approval: WrittenApproval): ExpectationDocument {
  return {
    hostname: approval.target.hostname,
    roots: approval.roots.map(({ der, requireLeafName }) => ({
      pem: pemOf(der),
      require_leaf_name: requireLeafName,
    })),
    pins: [...approval.pins],
    policies: approval.policies.map(({ name, allow }) => ({ name, allow })),
    max_bundle_age_ms: approval.maxBundleAgeMs,
  }
}

/** Its bytes: canonical JSON, so that equal expectations have equal digests. */
export function expectationBytes(document: ExpectationDocument): Buffer {
  return Buffer.from(canonicalize(document) ?? '')
}

/** Reads such bytes; throws on everything else. */
export function parseExpectation(bytes: Uint8Array): ExpectationDocument {
  const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
  if (!isCapsuleExpectation(value)) throw new TypeError('This does not say what is expected of an endpoint.')
  for (const pin of value.pins) parseDigest(pin)
  return value
}

function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
