import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/workspace-tokens',
  rules: ['LIM-01', 'LIM-04', 'LIM-05', 'LIM-08'],
  title: 'All keys of a workspace together use no more tokens than the default, whatever their own values',
  needs: ['workspace', 'feature:rate-limits', 'backendScript', 'model:free'],
  async run(context) {
    const { tokensPerMinute: limit } = context.target.limits
    const model = context.model('free')
    const body = { model, max_tokens: 2 * limit }
    await context.script({ chunks: 1, completionTokens: 2 * limit })
    const generous = await context.own({ tokensPerMinute: 100 * limit })
    expectStatus(await context.chat(body), 200)
    expectError(await context.chat(body), 'rate_limit_exceeded')
    const usual = await context.accounts.addKey(generous)
    expectError(await context.chat(body, { account: usual }), 'rate_limit_exceeded')
    expectStatus(await context.chat(body, { account: await context.accounts.open() }), 200)
  },
})
