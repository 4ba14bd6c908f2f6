import { expect, test } from 'vitest'
import { phasesOf } from './phases.ts'

const created_at = '2026-03-01T12:00:00.000Z'
const none = { first_token_ms: null, end_ms: null, settled_at: null }

test('a stream waits, answers and is settled', () => {
  const timings = { first_token_ms: 120, end_ms: 900, settled_at: '2026-03-01T12:00:00.910Z' }
  expect(phasesOf({ created_at, streamed: true, timings })).toEqual([
    { name: 'Until the first token', from: 0, length: 120 },
    { name: 'Answer, streamed', from: 120, length: 780 },
    { name: 'Until it was settled', from: 900, length: 10 },
  ])
})

test('what ended without a token has one part', () => {
  const timings = { ...none, end_ms: 30, settled_at: '2026-03-01T12:00:00.029Z' }
  expect(phasesOf({ created_at, streamed: true, timings })).toEqual([
    { name: 'Until the end', from: 0, length: 30 },
  ])
})

test('what has just begun has none', () => {
  expect(phasesOf({ created_at, streamed: true, timings: none })).toEqual([])
})
