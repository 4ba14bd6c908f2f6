import { expect, test } from 'vitest'
import { AttestationError } from '#attestation'
import { reasons } from '#contract/reasons'
import { Refused } from './refused.ts'

const grounds = Object.entries(reasons).flatMap(([stage, entries]) =>
  Object.keys(entries).map(
    (reason) => new AttestationError(...([stage, reason] as unknown as ['policy', 'no_pins'])),
  ),
)
const soon = { 'Retry-After': '1', 'x-should-retry': 'true' }

test('what heals by itself is worth a retry, and nothing that has been revoked', () => {
  expect(grounds.length).toBeGreaterThan(40)
  for (const ground of grounds) {
    const heals = ground.stage === 'attesting' && ground.reason !== 'disabled'
    const failed = new Refused('attestation_failed', ground)
    expect([failed.heals, failed.headers]).toEqual([heals, heals ? soon : { 'x-should-retry': 'false' }])
    const revoked = new Refused('attestation_revoked', ground)
    const later = ground.stage === 'attesting' ? { 'Retry-After': '1' } : {}
    expect([revoked.heals, revoked.headers]).toEqual([false, { ...later, 'x-should-retry': 'false' }])
  }
})

test('a certificate that may be signed for at any moment is worth a retry', () => {
  const mismatch = new AttestationError('tls-fingerprint', 'leaf_mismatch')
  expect(new Refused('attestation_failed', mismatch).heals).toBe(false)
  const renewing = new Refused('attestation_failed', mismatch, { isRenewing: true })
  expect([renewing.heals, renewing.headers]).toEqual([true, soon])
})
