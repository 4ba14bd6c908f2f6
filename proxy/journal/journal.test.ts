import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Denials } from './journal.ts'
import type { Entry } from './line.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const denial = {
  endpoint: 'main',
  code: 'attestation_failed',
  stage: 'policy',
  reason: 'digest_not_pinned',
} as const

test('the first denial is told at once, those like it once a minute with their count', () => {
  const told: Entry[] = []
  const denials = new Denials({ append: (entry) => told.push(entry) })
  for (let time = 0; time < 1_000; time += 1) denials.add(denial)
  expect(told).toEqual([{ kind: 'denial', ...denial, count: 1 }])
  denials.add({ ...denial, reason: 'no_pins' })
  expect(told).toHaveLength(2)
  vi.advanceTimersByTime(60_000)
  expect(told.slice(2)).toEqual([{ kind: 'denial', ...denial, count: 999 }])
  denials.add(denial)
  expect(told).toHaveLength(4)
})

test('what has been counted is told when the proxy stops', () => {
  const told: Entry[] = []
  const denials = new Denials({ append: (entry) => told.push(entry) })
  denials.add(denial)
  denials.add(denial)
  denials.flush()
  expect(told.map((entry) => entry.kind === 'denial' && entry.count)).toEqual([1, 1])
})
