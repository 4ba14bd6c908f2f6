import { expect, test } from 'vitest'
import type { RequestRow } from '#contract/console/models'
import { matches } from './filter.ts'
import { withRow } from './rows.ts'

function row(id: string, change: Partial<RequestRow> = {}): RequestRow {
  return {
    id,
    created_at: '2026-03-01T12:00:00Z',
    model: 'demo/tiny-chat',
    key: { id: 'key_1', name: 'laptop' },
    input_tokens: 1,
    output_tokens: 2,
    cost_micros: 3,
    tokens_per_second: null,
    time_to_first_token_ms: null,
    status: 'ok',
    ...change,
  }
}

const ids = (pages: ReturnType<typeof withRow>) => pages.map(({ data }) => data.map(({ id }) => id))

test('a new row comes in by its time', () => {
  const pages = [{ data: [row('b', { created_at: '2026-03-01T12:02:00Z' }), row('a')], next: 'x' }]
  expect(ids(withRow(pages, row('c', { created_at: '2026-03-01T12:01:00Z' }), true))).toEqual([
    ['b', 'c', 'a'],
  ])
  expect(ids(withRow(pages, row('d', { created_at: '2026-03-01T12:03:00Z' }), true))).toEqual([
    ['d', 'b', 'a'],
  ])
})

test('a row that stands there changes in its place, on whichever page', () => {
  const pages = [
    { data: [row('b')], next: 'x' },
    { data: [row('a', { status: 'running', cost_micros: null })], next: null },
  ]
  const changed = withRow(pages, row('a'), false)
  expect(ids(changed)).toEqual([['b'], ['a']])
  expect(changed[1]!.data[0]!.status).toBe('ok')
})

test('a row that has ended never runs again', () => {
  const pages = [{ data: [row('a')], next: null }]
  expect(withRow(pages, row('a', { status: 'running' }), true)[0]!.data[0]!.status).toBe('ok')
})

test('a row that does not belong, or is older than what is shown, does not come in', () => {
  const old = row('old', { created_at: '2026-02-01T00:00:00Z' })
  expect(ids(withRow([{ data: [row('a')], next: null }], row('b'), false))).toEqual([['a']])
  expect(ids(withRow([{ data: [row('a')], next: 'x' }], old, true))).toEqual([['a']])
  expect(ids(withRow([{ data: [row('a')], next: null }], old, true))).toEqual([['a', 'old']])
})

test.each([
  [{}, true],
  [{ model: 'demo/tiny-chat', key: 'key_1', status: 'ok' }, true],
  [{ model: 'other' }, false],
  [{ key: 'key_2' }, false],
  [{ status: 'aborted' }, false],
  [{ from: '2026-03-01T12:00:00Z' }, true],
  [{ to: '2026-03-01T12:00:00Z' }, false],
  [{ min_cost_micros: 3, max_cost_micros: 3 }, true],
  [{ min_cost_micros: 4 }, false],
  [{ max_cost_micros: 2 }, false],
] as const)('%j lets the row in: %s', (filter, isIn) => {
  expect(matches(row('a'), filter)).toBe(isIn)
})

test('what runs has no cost yet, and is in no list that asks for one', () => {
  expect(matches(row('a', { status: 'running', cost_micros: null }), { max_cost_micros: 9 })).toBe(false)
})
