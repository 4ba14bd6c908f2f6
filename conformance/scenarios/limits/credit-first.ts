import { expectError, expectStatus } from '../../engine/expect.ts'
import { expectLimited } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/credit-first',
  rules: ['CRED-19'],
  title: 'A refusal for credit goes before one for rate, and takes nothing from the buckets',
  needs: ['workspace', 'setBalance', 'feature:rate-limits', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1 })
    const own = await context.own({ requestsPerMinute: 2, balanceMicros: 0 })
    const setBalance = (balance_micros: number) =>
      context.hooks('setBalance', { workspace_id: own.workspaceId ?? '', balance_micros })
    for (let turn = 0; turn < 5; turn++) expectError(await context.chat(), 'insufficient_credits')
    await setBalance(5_000_000)
    for (let turn = 0; turn < 2; turn++) expectStatus(await context.chat(), 200)
    expectLimited(await context.chat(), 2)
    await setBalance(0)
    expectError(await context.chat(), 'insufficient_credits')
    const capped = await context.accounts.addKey(own, { spendLimitMicros: 0, requestsPerMinute: 1 })
    await setBalance(5_000_000)
    for (let turn = 0; turn < 3; turn++)
      expectError(await context.chat({}, { account: capped }), 'key_spend_limit_reached')
  },
})
