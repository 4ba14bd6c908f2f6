import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { expectLimited, readBucket } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/one-each',
  rules: ['LIM-22', 'LIM-32'],
  title:
    'Each admitted request takes one from the request buckets and tells of the tighter; a token lets it pass',
  needs: ['workspace', 'feature:rate-limits', 'backendScript'],
  async run(context) {
    const { requestsPerMinute: usual } = context.target.limits
    await context.script({ chunks: 1, promptTokens: 100 })
    // So slow that none comes back meanwhile.
    const own = await context.own({ requestsPerMinute: 3 })
    for (const remaining of [2, 1, 0]) {
      const exchange = await context.chat({ stream: remaining === 1 })
      expectStatus(exchange, 200)
      const bucket = readBucket(exchange)
      assert.deepEqual([bucket.limit, bucket.remaining], [3, remaining])
      assert.ok(Number.isInteger(bucket.resetAtMs), 'an admitted request has no X-RateLimit-Reset')
    }
    expectLimited(await context.chat(), 3)

    const generous = await context.accounts.addKey(own, { requestsPerMinute: 10 * usual, tokensPerMinute: 1 })
    const exchange = await context.chat({}, { account: generous })
    expectStatus(exchange, 200)
    assert.equal(readBucket(exchange).limit, usual, 'the workspace’s bucket is the tighter one')
    assert.ok(readBucket(exchange).remaining < usual, 'nothing was taken from the workspace')
    expectLimited(await context.chat({}, { account: generous }), 1)
  },
})
