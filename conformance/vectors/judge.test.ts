import { expect, test } from 'vitest'
import type { Vector } from '#contract/models'
import { bytesOf } from './corpus.ts'
import { judgeVector, type Reply } from './judge.ts'

const asked = { capabilities: [] }
const refused = { admitted: false, stage: 'jws', reason: 'bundle_stale' } as const
const admitted = { admitted: true, stage: null, reason: null } as const
const unmeant = { admitted: false, stage: null, reason: null } as const

function verdictOn(expected: Vector['expected'], reply: Reply, needs: Vector['needs'] = []): string {
  const vector = { id: 'jws/one', title: 'One', rules: [], needs, expected } as unknown as Vector
  return judgeVector(vector, reply, asked).verdict
}

function answer(outcome: 'accept' | 'malformed' | 'unsupported' | 'internal'): Reply
function answer(outcome: 'reject', stage: 'jws' | 'policy', reason: string): Reply
function answer(outcome: string, stage: string | null = null, reason: string | null = null): Reply {
  return { id: 'jws/one', outcome, stage, reason } as Reply
}

test.each<[string, Vector['expected'], Reply, string]>([
  ['the right refusal', refused, answer('reject', 'jws', 'bundle_stale'), 'pass'],
  ['the right admission', admitted, answer('accept'), 'pass'],
  ['the right complaint', unmeant, answer('malformed'), 'pass'],
  ['an admission of what is to be refused', refused, answer('accept'), 'wrongly-admitted'],
  ['an admission of what cannot be meant', unmeant, answer('accept'), 'wrongly-admitted'],
  ['a refusal of what is to be admitted', admitted, answer('reject', 'policy', 'no_pins'), 'wrongly-refused'],
  ['a complaint about what is to be admitted', admitted, answer('malformed'), 'wrongly-refused'],
  ['a refusal at another stage', refused, answer('reject', 'policy', 'no_pins'), 'other-ground'],
  ['a refusal for another reason', refused, answer('reject', 'jws', 'digest_mismatch'), 'other-ground'],
  ['a breakdown instead of a refusal', refused, answer('internal'), 'error'],
  ['nothing', refused, { failure: 'no answer' }, 'error'],
  ['a claim not to know', refused, answer('unsupported'), 'not-supported'],
])('%s is judged as such', (_, expected, reply, verdict) => {
  expect(verdictOn(expected, reply)).toBe(verdict)
})

test('a vector that needs what a verifier does not claim is not counted against it, nor for it', () => {
  expect(verdictOn(refused, { failure: 'not asked' }, ['policies'])).toBe('not-supported')
})

test('a bundle is its pieces, one after the other, each as often as it says', () => {
  const pieces = [{ text: 'ä' }, { base64: '/w==', times: 2 }, { text: ' ', times: 3 }]
  expect(bytesOf(pieces).toString('hex')).toBe('c3a4ffff202020')
})
