import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { anyGrant, invitationNeeds, lookUp } from '../../engine/invitations.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/look-up',
  rules: ['INV-02', 'EP-19', 'AUTH-04'],
  title: 'Anybody can look an invitation up, and is told what it grants',
  needs: invitationNeeds,
  async run(context) {
    const { code } = await context.hooks('issueInvitation', { grant_micros: anyGrant(context) })
    const found = await lookUp(context, code)
    expectStatus(found, 200)
    // How it is told, the given specification leaves open.
    assert.ok(Object.keys(objectOf(found)).length > 0, 'nothing is told')
  },
})
