import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { exhaust, exhaustionMs, mostIn } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/workspace-requests',
  rules: ['LIM-01', 'LIM-04', 'LIM-05'],
  title: 'All keys of a workspace together make no more requests than the default, whatever their own values',
  needs: ['workspace', 'feature:rate-limits', 'backendScript'],
  // How many are admitted meanwhile is chance.
  isCompared: false,
  waitsMs: exhaustionMs,
  async run(context) {
    const { requestsPerMinute: limit } = context.target.limits
    await context.script({ chunks: 1 })
    const generous = await context.own({ requestsPerMinute: 10 * limit })
    const usual = await context.accounts.addKey(generous)
    const { admitted, elapsedMs } = await exhaust(context, limit, (turn) => ({
      account: turn % 3 === 0 ? usual : generous,
    }))
    const most = mostIn(elapsedMs, limit)
    assert.ok(admitted <= most, `${admitted} requests were admitted in ${elapsedMs} ms, not ${most} at most`)
    assert.ok(admitted >= limit, `only ${admitted} of ${limit} requests were admitted`)
    // A key that is new has all of its own budget, and of the workspace's what flows in meanwhile.
    const fresh = await context.accounts.addKey(generous, { requestsPerMinute: 10 * limit })
    const burst = Math.ceil(limit / 3)
    const answers = await Promise.all(
      Array.from({ length: burst }, () => context.chat({ max_tokens: 1 }, { account: fresh })),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    assert.ok(refused.length > 0, `a new key brought the workspace ${burst} requests more`)
    for (const refusal of refused) expectError(refusal, 'rate_limit_exceeded')
    expectStatus(await context.chat({}, { account: await context.accounts.open() }), 200)
  },
})
