import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestOf } from '#attestation'
import type { Generation } from '#contract/models'
import { generation, generationId } from '../journal/testing.ts'
import { compareGeneration, priceOf } from './reconcile-compare.ts'

const price = { promptMicros: 150_000, completionMicros: 600_000 }

const seen = {
  ...generation(1),
  seq: 2,
  prev: digestOf('genesis'),
  time: '2030-01-01T00:00:00Z',
}

const record: Generation = {
  id: generationId(1),
  model: 'demo/tiny-chat',
  endpoint: 'demo',
  created_at: '2030-01-01T00:00:00Z',
  operation: 'chat',
  streamed: true,
  status: 'ok',
  finish_reason: 'stop',
  prompt_tokens: 12,
  completion_tokens: 34,
  total_tokens: 46,
  cost_micros: 23,
  usage_source: 'backend',
  latency_ms: 1,
  time_to_first_token_ms: 1,
  tokens_per_second: 1,
  evidence_digest: digestOf('snapshot'),
  ledger: { id: 'led_00000000000000000000000001', amount_micros: -23 },
}

const unseen = {
  ...seen,
  prompt_tokens: null,
  completion_tokens: null,
  cost_micros: null,
  served_by: null,
  served_digest: null,
}

test('a generation whose answer, price, record and ledger row agree has no difference', () => {
  expect(compareGeneration(seen, { record, price })).toEqual([])
})

test.each<[string, Partial<Generation>, readonly string[]]>([
  [
    'a micro-dollar too much in the record',
    { cost_micros: 24, ledger: { ...record.ledger, amount_micros: -24 } },
    ['record_price', 'cost_micros'],
  ],
  [
    'a ledger row that takes more than the cost',
    { ledger: { ...record.ledger, amount_micros: -24 } },
    ['ledger_amount'],
  ],
  ['another count of tokens', { prompt_tokens: 13 }, ['prompt_tokens']],
  ['tokens that cost more', { completion_tokens: 44 }, ['record_price', 'completion_tokens']],
  ['another model', { model: 'demo/other' }, ['model']],
  ['another endpoint', { endpoint: 'other' }, ['endpoint']],
  ['another digest', { evidence_digest: null }, ['evidence_digest']],
])('%s is flagged', (_, change, checks) => {
  const found = compareGeneration(seen, { record: { ...record, ...change }, price })
  expect(found.map(({ check }) => check)).toEqual(checks)
})

test('a record that is not there is told apart from usage that was not seen', () => {
  expect(compareGeneration(seen, { record: undefined, price })).toEqual([
    { generation: seen.id, check: 'missing_record', expected: seen.id, actual: null },
  ])
  expect(compareGeneration(unseen, { record, price })).toEqual([])
})

test('of usage that was not seen the record is still held against the price and the ledger', () => {
  const wrong = { ...record, cost_micros: 22, ledger: { ...record.ledger, amount_micros: -21 } }
  expect(compareGeneration(unseen, { record: wrong, price }).map(({ check }) => check)).toEqual([
    'record_price',
    'ledger_amount',
  ])
})

test('an answer that costs too much is flagged, and so is a model without a price', () => {
  const overcharged = { ...record, cost_micros: 24, ledger: { ...record.ledger, amount_micros: -24 } }
  expect(compareGeneration({ ...seen, cost_micros: 24 }, { record: overcharged, price })).toMatchObject([
    { check: 'answer_price', expected: '23', actual: '24' },
    { check: 'record_price' },
  ])
  expect(compareGeneration(seen, { record, price: undefined })).toMatchObject([{ check: 'no_price' }])
})

test('a price is rounded up once, in integers', () => {
  expect(priceOf(12, 34, price)).toBe(23n)
  expect(priceOf(0, 0, price)).toBe(0n)
  const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
  fc.assert(
    fc.property(count, count, count, count, (prompt, completion, promptMicros, completionMicros) => {
      const exact = BigInt(prompt) * BigInt(promptMicros) + BigInt(completion) * BigInt(completionMicros)
      const cost = priceOf(prompt, completion, { promptMicros, completionMicros }) * 1_000_000n
      expect(cost >= exact && cost - exact < 1_000_000n).toBe(true)
    }),
  )
})
