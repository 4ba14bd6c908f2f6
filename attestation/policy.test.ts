import { expect, test, vi } from 'vitest'
import { digestOf } from './digest.ts'
import { type Candidate, checkPolicy, type Policy } from './policy.ts'
import { NOW } from './testing/chains.ts'

const candidate: Candidate = {
  hostname: 'router.example',
  issuedAt: NOW,
  digest: digestOf('a'),
  evidence: { a: 1 },
}
const pins = [digestOf('b'), digestOf('a')]
const named = (allows: () => unknown): Policy => ({
  name: 'test',
  allow: '',
  allows: allows as Policy['allows'],
})
const refusal = (reason: string) =>
  expect.objectContaining({ stage: 'policy', reason, evidenceDigest: candidate.digest })

test('a pinned deployment that every policy allows passes, and policies see what was signed', () => {
  const policy = vi.fn(() => true)
  checkPolicy(candidate, { pins, policies: [named(policy), named(policy)] })
  expect(policy.mock.calls).toEqual([[candidate], [candidate]])
})

test('no policy is asked about a deployment that is not pinned', () => {
  const policy = vi.fn(() => true)
  expect(() => checkPolicy(candidate, { pins: [digestOf('b')], policies: [named(policy)] })).toThrow(
    refusal('digest_not_pinned'),
  )
  expect(() => checkPolicy(candidate, { pins: [], policies: [named(policy)] })).toThrow(refusal('no_pins'))
  expect(policy).not.toHaveBeenCalled()
})

test('one refusal among many is enough', () => {
  const policies = [true, false, true].map((answer) => named(() => answer))
  expect(() => checkPolicy(candidate, { pins, policies })).toThrow(refusal('policy_refused'))
})

test.each<[string, () => unknown]>([
  ['undefined', () => undefined],
  ['1', () => 1],
  ['a promise of true', () => Promise.resolve(true)],
  ['an error', () => Promise.reject],
])('a policy that answers %s has failed', (_, answer) => {
  expect(() => checkPolicy(candidate, { pins, policies: [named(answer)] })).toThrow(refusal('policy_failed'))
})

test('a policy that throws has failed, and its error is the cause', () => {
  const cause = new Error('no such member')
  const policy = () => {
    throw cause
  }
  expect(() => checkPolicy(candidate, { pins, policies: [named(policy)] })).toThrow(
    expect.objectContaining({ reason: 'policy_failed', cause }),
  )
})

test('a refusal names the policy that refuses', () => {
  const policies = [
    { name: 'no debugging', allow: 'true', allows: () => true },
    { name: 'own images', allow: 'false', allows: () => false },
  ]
  expect(() => checkPolicy(candidate, { pins, policies })).toThrow(/own images/)
})
