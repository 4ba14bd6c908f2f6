import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { anyGrant, invitationNeeds, lookUp } from '../../engine/invitations.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/record',
  rules: ['INV-07'],
  title: 'The record of an invitation tells grant, description, redemptions, note and its times',
  needs: [...invitationNeeds, 'withdrawInvitation', 'redeemInvitation', 'workspace'],
  subjects: ['router'],
  async run(context) {
    const grant = anyGrant(context)
    const usual = await context.hooks('issueInvitation', { grant_micros: grant })
    const { created_at: created, ...rest } = usual
    assert.equal(usual.max_redemptions, 1, 'an invitation is redeemed once unless said otherwise')
    assert.deepEqual(
      [rest.grant_micros, rest.redemptions, rest.note, rest.expires_at, rest.withdrawn_at],
      [grant, 0, null, null, null],
    )
    assert.ok(Math.abs(Date.parse(created) - Date.now()) < context.patience(60_000), `created at ${created}`)
    const settings = { description: 'A fair', max_redemptions: 3, note: context.nonce }
    const issued = await context.hooks('issueInvitation', {
      grant_micros: grant,
      expires_at: '2099-01-01T00:00:00.000Z',
      ...settings,
    })
    const { workspaceId: workspace_id = '' } = await context.own()
    await context.hooks('redeemInvitation', { code: issued.code, account: context.nonce, workspace_id })
    expectStatus(await lookUp(context, issued.code), 200)
    const withdrawn = await context.hooks('withdrawInvitation', { code: issued.code })
    assert.deepEqual(
      { ...withdrawn, withdrawn_at: null },
      { ...issued, ...settings, redemptions: 1 },
      'the record of a withdrawn invitation',
    )
    assert.ok(withdrawn.withdrawn_at !== null, 'the record does not tell when it was withdrawn')
    const again = await context.hooks('withdrawInvitation', { code: issued.code })
    assert.equal(again.withdrawn_at, withdrawn.withdrawn_at)
  },
})
