import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/spend-limit',
  rules: ['KEY-11', 'ERR-25'],
  title:
    'A key that has reached its spend limit is refused, whatever the workspace still has, and other keys go on',
  needs: ['workspace'],
  async run(context) {
    const account = await context.own({ spendLimitMicros: 1, balanceMicros: 5_000_000 })
    expectStatus(await context.chat(), 200)
    expectError(await context.chat(), 'key_spend_limit_reached')
    expectError(await context.chat({ stream: true }), 'key_spend_limit_reached')
    expectStatus(await context.chat({}, { account: await context.accounts.addKey(account) }), 200)
  },
})
