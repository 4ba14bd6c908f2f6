import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus } from '../../engine/expect.ts'
import { expectLimited } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/debt',
  rules: ['LIM-23'],
  title: 'What a request overshot is a debt that the refill repays before anything is admitted again',
  needs: ['workspace', 'feature:rate-limits', 'backendScript'],
  isCompared: false,
  waitsMs: () => DEBT_MS,
  async run(context) {
    await context.own({ tokensPerMinute: 60 * PER_SECOND })
    await context.script({ chunks: 1, promptTokens: 0, completionTokens: USED })
    const since = Date.now()
    expectStatus(await context.chat(), 200)
    const { retryAfterMs } = expectLimited(await context.chat(), 60 * PER_SECOND)
    const passedMs = Date.now() - since
    // A bucket that is floored at nothing admits again after a hundredth of a second.
    assert.ok(
      retryAfterMs >= DEBT_MS - passedMs && retryAfterMs <= DEBT_MS + 100,
      `the debt is said to be repaid in ${retryAfterMs} ms`,
    )
    await sleep(retryAfterMs + 10)
    expectStatus(await context.chat(), 200)
  },
})

const PER_SECOND = 100
const DEBT_MS = 6_000
const USED = 60 * PER_SECOND + (DEBT_MS / 1_000) * PER_SECOND
