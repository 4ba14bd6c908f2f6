import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/topped-up',
  rules: ['CRED-01', 'ERR-24'],
  title: 'Credit that is added serves again',
  needs: ['workspace', 'setBalance'],
  async run(context) {
    const { workspaceId = '' } = await context.own({ balanceMicros: 0 })
    expectError(await context.chat(), 'insufficient_credits')
    await context.hooks('setBalance', { workspace_id: workspaceId, balance_micros: 1_000_000 })
    expectStatus(await context.chat(), 200)
  },
})
