import { expect, test } from 'vitest'
import { answer } from './answer.ts'

const request = {
  version: 1,
  id: 'one',
  bundle: Buffer.from('{}').toString('base64'),
  hostname: 'router.example',
  roots: [],
  pins: [],
  observed_leaf: null,
  accept_producer_asserted: false,
  now: '2026-06-01T12:00:00Z',
  max_bundle_age_ms: 86_400_000,
  newest_issued_at: null,
}
const asked = (changes: object) => answer(JSON.stringify({ ...request, ...changes }))

test('a malformed bundle is a refusal, not an error', async () => {
  expect(await asked({})).toMatchObject({
    id: 'one',
    outcome: 'reject',
    stage: 'fetch',
    reason: 'malformed_bundle',
  })
})

test.each([
  ['a pin that is no digest', { pins: ['x'] }],
  ['a root that is no certificate', { roots: [{ pem: 'x', require_leaf_name: true }] }],
  ['a policy that cannot be read', { policies: ['=='] }],
  ['a leaf that is no digest', { observed_leaf: 'x' }],
  ['a member that it does not know', { skip_checks: true }],
  ['a bundle that is no base64', { bundle: '{}' }],
  ['a time without a zone', { now: '2026-06-01T12:00:00' }],
  ['another version', { version: 2 }],
])('%s is a malformed request, and nothing is judged', async (_, changes) => {
  expect(await asked(changes)).toMatchObject({ id: 'one', outcome: 'malformed', stage: null, reason: null })
})

test('what is no JSON is a malformed request without an id', async () => {
  expect(await answer('{')).toMatchObject({ id: '', outcome: 'malformed' })
})
