import { expect, test } from 'vitest'
import { AttestationError } from '#attestation'
import { type RefusalCode, Refused } from '#egress/refused.ts'
import { refusalOf } from './refusals.ts'

const pending = new AttestationError('attesting', 'verdict_pending')
const unpinned = new AttestationError('policy', 'digest_not_pinned')

test.each<[RefusalCode, AttestationError, string, string]>([
  ['attestation_failed', pending, 'upstream-attesting', 'verdict_pending'],
  ['attestation_failed', unpinned, 'upstream-policy', 'digest_not_pinned'],
  ['attestation_revoked', unpinned, 'upstream-policy', 'digest_not_pinned'],
])(
  '%s is a 503 proxy_error that says which verifier refused, at which stage and why',
  (code, ground, stage, reason) => {
    const refused = new Refused(code, ground)
    const error = refusalOf(refused)
    const body = error.toBody()
    expect(error.status).toBe(503)
    expect(body).toMatchObject({ error: { code, type: 'proxy_error' }, stage, reason })
    expect(body.error.message).toContain(ground.message)
    expect(error.headers).toEqual(refused.headers)
  },
)

test('who may try again is told so, and who may not is told whom to ask', () => {
  const messageOf = (code: RefusalCode, ground: AttestationError) =>
    refusalOf(new Refused(code, ground)).message
  expect(messageOf('attestation_failed', pending)).toMatch(/Try again in a moment\.$/)
  expect(messageOf('attestation_failed', unpinned)).toMatch(/administrator of this router\.$/)
  expect(messageOf('attestation_revoked', pending)).toMatch(/^The external .* Do not repeat the request/)
})
