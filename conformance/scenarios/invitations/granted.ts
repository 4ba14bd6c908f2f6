import assert from 'node:assert/strict'
import { expectChat, expectError } from '../../engine/expect.ts'
import { anyGrant, invitationNeeds } from '../../engine/invitations.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/granted',
  rules: ['INV-01', 'INV-03', 'WSP-06'],
  title:
    'What a code grants goes to a new account, as a credit row called "Invitation credit", and can be spent',
  needs: [...invitationNeeds, 'redeemInvitation', 'workspace', 'ledger', 'generation'],
  async run(context) {
    const grant = anyGrant(context)
    const { code } = await context.hooks('issueInvitation', { grant_micros: grant })
    const { workspaceId: workspace_id = '' } = await context.own({ balanceMicros: 0 })
    expectError(await context.chat(), 'insufficient_credits')
    const account = `${context.subject}-${context.nonce}-${workspace_id}`
    const { granted_micros } = await context.hooks('redeemInvitation', { code, account, workspace_id })
    assert.equal(granted_micros, grant)
    const { balance_micros: balance, entries } = await context.books()
    assert.equal(balance, grant)
    const credits = entries.filter(({ amount_micros }) => amount_micros > 0)
    assert.deepEqual(
      credits.map(({ amount_micros, description }) => [amount_micros, description]),
      [[grant, 'Invitation credit']],
    )
    const { usage } = expectChat(await context.chat())
    assert.equal((await context.books()).balance_micros, grant - usage.cost_micros)
  },
})
