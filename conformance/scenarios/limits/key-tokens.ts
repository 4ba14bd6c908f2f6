import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/key-tokens',
  rules: ['KEY-10', 'LIM-07', 'LIM-08', 'LIM-09'],
  title: 'A key with tokens per minute of its own overshoots by one request, is 429 then, and others are not',
  needs: ['workspace', 'feature:rate-limits', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1, completionTokens: 5_000 })
    const own = await context.own({ tokensPerMinute: 1_000 })
    // At admission the bucket is only asked whether it is empty; what the request uses is known afterwards.
    expectStatus(await context.chat(), 200)
    expectError(await context.chat(), 'rate_limit_exceeded')
    expectError(await context.chat({ stream: true }), 'rate_limit_exceeded')
    const usual = await context.accounts.addKey(own)
    for (let turn = 0; turn < 2; turn++) expectStatus(await context.chat({}, { account: usual }), 200)
  },
})
