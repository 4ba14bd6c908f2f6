import { expect, test } from 'vitest'
import { AttestationError } from '#attestation'
import { reasons } from '#contract/reasons'
import { attestationFailed, attestationRevoked } from './refusal.ts'

const grounds = Object.entries(reasons).flatMap(([stage, entries]) =>
  Object.entries(entries).map(([reason, { meaning, remedy }]) => {
    const ground = new AttestationError(...([stage, reason] as unknown as ['policy', 'no_pins']))
    return { ground, words: `${meaning} ${remedy}` }
  }),
)

test('a refusal for want of a verdict says what the reason means and what mends it', () => {
  expect(grounds.length).toBeGreaterThan(40)
  for (const { ground, words } of grounds) {
    expect(attestationFailed(ground).message).toContain(words)
    expect(attestationRevoked(ground).message).toContain(words)
  }
})

test('what heals by itself is worth a retry, and nothing that has been revoked', () => {
  const soon = { 'Retry-After': '1', 'x-should-retry': 'true' }
  const mismatch = new AttestationError('tls-fingerprint', 'leaf_mismatch')
  for (const { ground } of grounds) {
    const heals = ground.stage === 'attesting'
    expect(attestationFailed(ground).headers).toEqual(heals ? soon : { 'x-should-retry': 'false' })
    expect(attestationRevoked(ground).headers).toMatchObject({ 'x-should-retry': 'false' })
  }
  expect(attestationFailed(mismatch, { isRenewing: true }).headers).toEqual(soon)
})
