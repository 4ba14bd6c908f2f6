import { expect, test } from 'vitest'
import { Counter } from './counter.ts'
import { combine, sharesOf } from './crew.ts'

test.each([
  [64, 3, [22, 21, 21]],
  [1, 2, [1, 0]],
])('%i clients on %i processes are %j', (clients, processes, shares) => {
  expect(sharesOf(clients, processes)).toEqual(shares)
})

test('what several processes counted is added up, their times too', () => {
  const [one, other] = [new Counter(), new Counter()]
  one.ended(1_000)
  one.chunk(undefined)
  other.ended(9_000)
  other.began(500)
  other.chunk(70)
  other.refused('HTTP/1.1 429')
  other.lost('reset')
  const all = combine([one.report(), other.report()])
  expect(all).toMatchObject({ requests: 2, chunks: 2, failed: 1, lost: 1, complaint: 'HTTP/1.1 429' })
  expect(all.latency.count).toBe(2)
  expect(all.latency.percentileMs(1)).toBeCloseTo(9, 0)
  expect(all.firstByte.count).toBe(1)
  expect(all.chunkDelay.count).toBe(1)
})

test('what was before a count began is forgotten, but for what is open', () => {
  const counter = new Counter()
  counter.ended(1)
  counter.lost('reset')
  counter.open = 3
  counter.begin()
  expect(counter.report()).toMatchObject({ requests: 0, lost: 0, open: 3, complaint: undefined })
})
