import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { expectLimited } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/told',
  rules: ['LIM-28', 'LIM-29', 'LIM-31'],
  title:
    'A 429 tells limit and rest of the bucket that refused, when it admits, and to wait a minute at the most',
  needs: ['workspace', 'feature:rate-limits', 'backendScript'],
  // What remains of a minute is chance.
  isCompared: false,
  async run(context) {
    await context.script({ chunks: 1, promptTokens: 659 })
    const own = await context.own({ requestsPerMinute: 2 })
    for (let turn = 0; turn < 2; turn++) expectStatus(await context.chat(), 200)
    const requests = expectLimited(await context.chat(), 2)
    assert.equal(requests.remaining, 0)
    const { retryAfterSeconds: seconds, retryAfterMs: milliseconds } = requests
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 30, `Retry-After is ${seconds}`)
    assert.equal(Math.ceil(milliseconds / 1_000), seconds, `retry-after-ms is ${milliseconds}`)
    isAbout(requests.resetAtMs - Date.now(), milliseconds)

    // Eleven minutes' worth at once, of which the bucket held one.
    const slow = await context.accounts.addKey(own, { tokensPerMinute: 60 })
    expectStatus(await context.chat({}, { account: slow }), 200)
    const tokens = expectLimited(await context.chat({}, { account: slow }), 60)
    assert.deepEqual([tokens.remaining, tokens.retryAfterSeconds, tokens.retryAfterMs], [0, 60, 60_000])
    isAbout(tokens.resetAtMs - Date.now(), 600_000)

    function isAbout(actualMs: number, wantedMs: number): void {
      const far = Math.abs(actualMs - wantedMs)
      assert.ok(far <= context.patience(5_000), `X-RateLimit-Reset is ${actualMs} ms away, not ${wantedMs}`)
    }
  },
})
