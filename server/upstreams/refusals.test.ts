import { expect, test } from 'vitest'
import { AttestationError } from '#attestation'
import { attestationFailed, attestationRevoked } from './refusals.ts'

const pending = new AttestationError('attesting', 'verdict_pending')
const unpinned = new AttestationError('policy', 'digest_not_pinned')

test.each([
  ['attestation_failed', attestationFailed(pending), 'upstream-attesting', 'verdict_pending'],
  ['attestation_failed', attestationFailed(unpinned), 'upstream-policy', 'digest_not_pinned'],
  ['attestation_revoked', attestationRevoked(unpinned), 'upstream-policy', 'digest_not_pinned'],
])(
  '%s is a 503 proxy_error that says which verifier refused, at which stage and why',
  (code, error, stage, reason) => {
    const body = error.toBody()
    expect(error.status).toBe(503)
    expect(body).toMatchObject({ error: { code, type: 'proxy_error' }, stage, reason })
  },
)

const RETRY_SOON = { 'Retry-After': '1', 'x-should-retry': 'true' }

test('what heals by itself is worth a retry, and nothing that has been revoked', () => {
  const mismatch = new AttestationError('tls-fingerprint', 'leaf_mismatch')
  expect(attestationFailed(pending).headers).toEqual(RETRY_SOON)
  expect(attestationFailed(mismatch, { isRenewing: true }).headers).toEqual(RETRY_SOON)
  expect(attestationFailed(mismatch).headers).toEqual({ 'x-should-retry': 'false' })
  expect(attestationFailed(unpinned).headers).toEqual({ 'x-should-retry': 'false' })
  expect(attestationFailed(new AttestationError('attesting', 'disabled')).headers).toEqual({
    'x-should-retry': 'false',
  })
  expect(attestationRevoked(unpinned).headers).toEqual({ 'x-should-retry': 'false' })
  const expired = new AttestationError('attesting', 'verdict_expired')
  expect(attestationRevoked(expired).headers).toEqual({ 'Retry-After': '1', 'x-should-retry': 'false' })
})
