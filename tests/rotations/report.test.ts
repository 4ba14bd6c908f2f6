import { expect, test } from 'vitest'
import type { Cell } from './matrix.ts'
import { breaches, percent, shareOk, tableOf } from './report.ts'

const kept: Cell = {
  rotation: 'TLS leaf',
  how: 'split',
  requests: 1_000,
  ok: 990,
  attesting: 10,
  fingerprint: 0,
  other: 0,
  broken: 0,
  slowestMs: 15_000,
  passed: 1,
  failed: 1,
  sentWrongly: 0,
  unverified: 0,
  noticed: true,
}

test('a rotation that refuses one request in a hundred, and says why, keeps the promise', () => {
  expect(breaches([kept])).toEqual([])
  expect(percent(shareOk([kept]))).toBe('99.00 %')
})

test.each([
  [{ ok: 989, attesting: 11 }, /^Only 98\.90 %/],
  [{ fingerprint: 1 }, /could have waited/],
  [{ ok: 0 }, /no request was answered/],
  [{ other: 1 }, /neither 200 nor/],
  [{ broken: 1 }, /did not come to their proper end/],
  [{ slowestMs: 15_001 }, /took 15001 ms/],
  [{ sentWrongly: 1 }, /sent twice/],
  [{ unverified: 1 }, /not verified/],
  [{ noticed: false }, /has not verified/],
])('%j breaks the promise', (change, message) => {
  expect(breaches([{ ...kept, ...change }])).toEqual(expect.arrayContaining([expect.stringMatching(message)]))
})

test('nothing at all keeps no promise', () => {
  expect(breaches([])).toHaveLength(1)
})

test('the table has a column for each count', () => {
  const [head, row] = tableOf([kept])
  expect(head).toMatch(/^rotation +how +requests +200 +attesting +tls-fingerprint +other/)
  expect(row).toMatch(/^TLS leaf +split +1000 +990 +10 +0 +0/)
})
