import { expect, test } from 'vitest'
import type { ControlBooks } from '#contract/models'
import { checkBooks, costMicros } from './books.ts'

const generation: ControlBooks['generations'][number] = {
  id: 'gen-1',
  key_id: 'key_1',
  model: 'm',
  endpoint: 'e',
  status: 'ok',
  streamed: false,
  prompt_tokens: 12,
  completion_tokens: 34,
  usage_source: 'backend',
  prompt_price_micros: 150_000,
  completion_price_micros: 600_000,
  cost_micros: 23,
}

function entry(change: Partial<ControlBooks['entries'][number]>): ControlBooks['entries'][number] {
  return {
    id: 'led_1',
    kind: 'top_up',
    amount_micros: 100,
    balance_after_micros: 100,
    description: '',
    reference: null,
    idempotency_key: '',
    created_at: '2026-01-01T00:00:00Z',
    ...change,
  }
}

const debit = entry({ kind: 'generation', amount_micros: -23, balance_after_micros: 77, reference: 'gen-1' })

const right: ControlBooks = {
  balance_micros: 77,
  entries: [entry({}), debit],
  generations: [generation],
  holds: [],
  keys: [],
}

test('books that add up have nothing against them', () => {
  expect(checkBooks(right)).toEqual([])
})

test.each<[string, Partial<ControlBooks>, string, RegExp]>([
  ['another balance', { balance_micros: 78 }, 'chosen', /the balance is 78/],
  [
    'a row that leaves another balance',
    { entries: [entry({ balance_after_micros: 99 }), debit] },
    'chosen',
    /leaves 99/,
  ],
  [
    'a hold left behind',
    { holds: [{ generation_id: 'g', key_id: 'k', amount_micros: 1 }] },
    'chosen',
    /1 holds/,
  ],
  [
    'a generation without a debit',
    { entries: [entry({})], balance_micros: 100 },
    'given',
    /was debited as \[\]/,
  ],
  ['a debit without a generation', { generations: [] }, 'given', /names gen-1/],
  [
    'two debits',
    { entries: [entry({}), debit, { ...debit, balance_after_micros: 54 }], balance_micros: 54 },
    'given',
    /-23,-23/,
  ],
  ['a cost rounded down', { generations: [{ ...generation, cost_micros: 22 }] }, 'given', /cost 22, not 23/],
])('%s is a violation', (_, change, origin, problem) => {
  expect(checkBooks({ ...right, ...change })).toContainEqual(
    expect.objectContaining({ origin, problem: expect.stringMatching(problem) }),
  )
})

test('a generation that cost nothing has its debit of zero', () => {
  const free = { ...generation, cost_micros: 0, prompt_tokens: 0, completion_tokens: 0 }
  const zero = { ...debit, amount_micros: 0, balance_after_micros: 100 }
  expect(
    checkBooks({ ...right, balance_micros: 100, entries: [entry({}), zero], generations: [free] }),
  ).toEqual([])
})

test('costs are exact beyond what a floating-point product could hold', () => {
  const prices = { promptMicros: 9_999_999, completionMicros: 1 }
  expect(costMicros({ promptTokens: 1_999_999_999, completionTokens: 1 }, prices)).toBe(19_999_997_991)
})

test('a generation that cost nothing has a row by our choice alone', () => {
  const free = { ...generation, prompt_tokens: 0, completion_tokens: 0, cost_micros: 0 }
  const found = checkBooks({ ...right, balance_micros: 100, entries: [entry({})], generations: [free] })
  expect(found.map(({ rules }) => rules)).toEqual([['WSP-15']])
})
