import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { anyGrant, invitationNeeds, lookUp } from '../../engine/invitations.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/form',
  rules: ['INV-04'],
  title:
    'A look-up answers object, code, grant_micros, description and expires_at, and nothing of the operator',
  needs: invitationNeeds,
  async run(context) {
    const grant = anyGrant(context)
    const expires = '2099-12-31T23:59:59.000Z'
    const [plain, dated] = [
      await context.hooks('issueInvitation', { grant_micros: grant, note: context.nonce }),
      await context.hooks('issueInvitation', {
        grant_micros: grant + 1,
        description: 'For the visitors of a fair',
        expires_at: expires,
      }),
    ]
    const told = await lookUp(context, plain.code)
    expectStatus(told, 200)
    const { description, ...rest } = objectOf(told)
    assert.deepEqual(rest, { object: 'invitation', code: plain.code, grant_micros: grant, expires_at: null })
    assert.ok(typeof description === 'string' && description !== '', 'there is no description')
    const { expires_at: until, ...others } = objectOf(await lookUp(context, dated.code))
    assert.equal(Date.parse(String(until)), Date.parse(expires))
    assert.deepEqual(others, {
      object: 'invitation',
      code: dated.code,
      grant_micros: grant + 1,
      description: 'For the visitors of a fair',
    })
  },
})
