import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { anyGrant, invitationNeeds, lookUp } from '../../engine/invitations.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/ledger-row',
  rules: ['WSP-18'],
  title:
    'The row of a grant is of the kind invitation, is called "Invitation credit", and names the account once',
  needs: [...invitationNeeds, 'redeemInvitation', 'workspace', 'ledger'],
  subjects: ['router'],
  async run(context) {
    const grant = anyGrant(context)
    const { code } = await context.hooks('issueInvitation', { grant_micros: grant, max_redemptions: 2 })
    const { workspaceId: workspace_id = '' } = await context.own({ balanceMicros: 0 })
    const account = `${context.nonce}-${workspace_id}`
    await context.hooks('redeemInvitation', { code, account, workspace_id })
    await context.hooks('redeemInvitation', { code, account, workspace_id })
    expectStatus(await lookUp(context, code), 200)
    const { entries } = await context.books()
    assert.equal(entries.length, 1, 'the grant was written more than once')
    const [row] = entries
    assert.deepEqual(
      [row?.kind, row?.description, row?.amount_micros],
      ['invitation', 'Invitation credit', grant],
    )
    assert.match(row?.idempotency_key ?? '', new RegExp(`^invitation:.+:${account}$`))
  },
})
