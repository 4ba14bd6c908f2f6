import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { anyGrant, invitationNeeds, lookUp } from '../../engine/invitations.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/no-good-no-harm',
  rules: ['INV-10'],
  title: 'A code that is no good grants nothing, stands in nobody’s way, and spoils no later grant',
  needs: [...invitationNeeds, 'withdrawInvitation', 'redeemInvitation', 'workspace', 'ledger'],
  subjects: ['router'],
  async run(context) {
    const grant_micros = anyGrant(context)
    const { code: withdrawn } = await context.hooks('issueInvitation', { grant_micros })
    await context.hooks('withdrawInvitation', { code: withdrawn })
    const { code } = await context.hooks('issueInvitation', { grant_micros })
    const { workspaceId: workspace_id = '' } = await context.own({ balanceMicros: 0 })
    const account = `${context.nonce}-${workspace_id}`
    const redeem = (typed: string) =>
      context.hooks('redeemInvitation', { code: typed, account, workspace_id })
    for (const typed of ['', 'nonsense', '2222-2222-2222', withdrawn])
      assert.equal((await redeem(typed)).granted_micros, null, `"${typed}" was granted something`)
    assert.equal((await context.books()).balance_micros, 0)
    expectStatus(await context.request('listModels'), 200)
    expectStatus(await lookUp(context, code), 200)
    assert.equal((await redeem(code)).granted_micros, grant_micros)
    expectError(await lookUp(context, code), 'not_found')
  },
})
