import { expectStatus } from '../../engine/expect.ts'
import { expectLimited } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/give-back',
  rules: ['LIM-24'],
  title: 'A request that the bucket of tokens refuses takes nothing from those of requests',
  needs: ['workspace', 'feature:rate-limits', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1, promptTokens: 500 })
    await context.own({ requestsPerMinute: 3, tokensPerMinute: 5 })
    expectStatus(await context.chat(), 200)
    // More of them than the key has requests: each is told of the tokens.
    for (let turn = 0; turn < 6; turn++) expectLimited(await context.chat(), 5)
  },
})
