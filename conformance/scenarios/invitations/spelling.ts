import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { anyGrant, invitationNeeds, lookUp } from '../../engine/invitations.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/spelling',
  rules: ['INV-08'],
  title: 'Case and separators of a code make no difference',
  needs: invitationNeeds,
  // Through the proxy all share the budget of one address.
  subjects: ['router'],
  async run(context) {
    const { code } = await context.hooks('issueInvitation', { grant_micros: anyGrant(context) })
    const bare = code.replace(/[^0-9A-Za-z]/g, '')
    const spellings = [
      code,
      bare,
      code.toLowerCase(),
      bare.replace(/(..)/g, '$1-'),
      bare.replace(/(...)/g, '$1.'),
    ]
    for (const spelling of [...spellings, encodeURIComponent(bare.replace(/(....)(?=.)/g, '$1 '))]) {
      const found = await lookUp(context, spelling)
      expectStatus(found, 200)
      assert.equal(objectOf(found).code, code, `"${spelling}" is told as another code`)
    }
  },
})
