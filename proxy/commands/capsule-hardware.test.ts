import { expect, test } from 'vitest'
import { digestOf } from '#attestation'
import type { EvidenceCapsule } from '#contract/models'
import { tdxSamples, V5_AT } from '../../attestation/hardware/testing/real.ts'
import { makeCase, TLS_FINGERPRINT } from '../../attestation/testing/evidence.ts'
import { judgeCapsule } from './capsule-verify.ts'

// A real quote is about another key, which is asked last: that reason says that all else held.
const [, [, quote, , guest]] = tdxSamples
const { bytes, expected } = makeCase({ envelope: { rootCaTeeQuote: quote } })
const attested = [guest]

function capsuleAt(judgedAt: string): EvidenceCapsule {
  return {
    kind: 'EvidenceCapsule',
    version: 1,
    generation: 'gen-01JZZZZZZZZZZZZZZZZZZZZZZZ',
    judged_at: judgedAt,
    observed_leaf: TLS_FINGERPRINT,
    expectation: {
      hostname: expected.hostname,
      roots: [],
      pins: [],
      policies: [],
      max_bundle_age_ms: 86_400_000,
    },
    bundle: Buffer.from(bytes).toString('base64'),
    journal: { lines: [{ number: 1, text: '{}' }], head: { count: 1, hash: digestOf('{}') } },
    record: null,
  }
}

test.each([
  ['2026-09-01T00:00:00Z', 'collateral_expired'],
  [V5_AT, 'root_key_not_bound'],
  ['2026-12-01T00:00:00Z', 'collateral_expired'],
])(
  'the hardware of a capsule is judged by the clock of its time, whenever that is done: %s',
  async (at, reason) => {
    const roots = expected.roots.map((root) => ({ ...root, attested }))
    const { document } = await judgeCapsule(capsuleAt(at), { ...expected, roots })
    expect(document).toMatchObject({ stage: 'untrusted-root', reason, hardware: null, holds: false })
  },
)
