import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { anyGrant, invitationNeeds, lookUp } from '../../engine/invitations.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/once',
  rules: ['INV-09'],
  title: 'An account is granted one invitation ever, however many codes it brings and however fast',
  needs: [...invitationNeeds, 'redeemInvitation', 'workspace', 'ledger'],
  subjects: ['router'],
  async run(context) {
    const grant_micros = anyGrant(context)
    const issued = await Promise.all(
      Array.from({ length: 6 }, () => context.hooks('issueInvitation', { grant_micros })),
    )
    const { workspaceId: workspace_id = '' } = await context.own({ balanceMicros: 0 })
    const account = `${context.nonce}-${workspace_id}`
    const grants = await Promise.all(
      issued.map(({ code }) => context.hooks('redeemInvitation', { code, account, workspace_id })),
    )
    const granted = grants.filter(({ granted_micros }) => granted_micros !== null)
    assert.deepEqual(
      granted.map(({ granted_micros }) => granted_micros),
      [grant_micros],
    )
    assert.equal((await context.books()).balance_micros, grant_micros)
    // The codes that brought nothing are still good for others.
    const open = await Promise.all(issued.map(({ code }) => lookUp(context, code)))
    assert.equal(open.filter(({ status }) => status === 200).length, 5)
    expectStatus(open.find(({ status }) => status !== 200)!, 404)
  },
})
