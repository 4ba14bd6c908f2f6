import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { expectLimited, readBucket } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/admitted-and-failed',
  rules: ['LIM-32'],
  title: 'A request that was admitted and failed at the backend tells of its bucket, too, and counts',
  needs: ['workspace', 'feature:rate-limits', 'backendScript'],
  async run(context) {
    await context.script({ status: 500 })
    await context.own({ requestsPerMinute: 2 })
    for (const remaining of [1, 0]) {
      const exchange = await context.chat()
      expectError(exchange, 'backend_unavailable')
      assert.deepEqual([readBucket(exchange).limit, readBucket(exchange).remaining], [2, remaining])
    }
    expectLimited(await context.chat(), 2)
  },
})
