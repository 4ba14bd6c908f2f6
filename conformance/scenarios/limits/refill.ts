import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus } from '../../engine/expect.ts'
import { exhaust, expectLimited, mostIn } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/refill',
  rules: ['LIM-21'],
  title: 'A bucket holds what a minute allows and refills continuously, one by one and not all at a boundary',
  needs: ['workspace', 'feature:rate-limits', 'backendScript'],
  isCompared: false,
  waitsMs: () => 2 * MS_PER_REQUEST,
  async run(context) {
    await context.script({ chunks: 1 })
    await context.own({ requestsPerMinute: PER_MINUTE })
    const { admitted, elapsedMs, refused } = await exhaust(context, PER_MINUTE)
    assert.ok(admitted >= PER_MINUTE, `a full bucket admitted ${admitted} of ${PER_MINUTE}`)
    assert.ok(admitted <= mostIn(elapsedMs, PER_MINUTE), `${admitted} were admitted in ${elapsedMs} ms`)
    const { retryAfterMs } = expectLimited(refused, PER_MINUTE)
    assert.ok(retryAfterMs <= MS_PER_REQUEST, `the next one is said to be ${retryAfterMs} ms away`)
    const waitedSince = Date.now()
    await sleep(retryAfterMs)
    const admittedAfter: number[] = []
    for (let turn = 0; turn < PER_MINUTE; turn++) {
      const exchange = await context.chat()
      if (exchange.status !== 200) break
      admittedAfter.push(Date.now() - waitedSince)
    }
    assert.ok(admittedAfter.length > 0, 'after the time that was told nothing was admitted')
    const most = Math.ceil((Date.now() - waitedSince) / MS_PER_REQUEST) + 1
    assert.ok(admittedAfter.length <= most, `${admittedAfter.length} came back at once, not ${most} at most`)
    expectStatus(await context.request('listModels'), 200)
  },
})

const PER_MINUTE = 20
const MS_PER_REQUEST = 60_000 / PER_MINUTE
