import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { anyGrant, invitationNeeds, lookUp } from '../../engine/invitations.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/code-form',
  rules: ['INV-06'],
  title: 'A code has 12 characters in three groups, none of which is easily taken for another',
  needs: invitationNeeds,
  subjects: ['router'],
  async run(context) {
    const grant_micros = anyGrant(context)
    const issued = await Promise.all(
      Array.from({ length: 20 }, () => context.hooks('issueInvitation', { grant_micros })),
    )
    const codes = issued.map(({ code }) => code)
    for (const code of codes) assert.match(code, FORM)
    assert.equal(new Set(codes).size, codes.length, 'a code was given out twice')
    expectStatus(await lookUp(context, codes[0] ?? ''), 200)
  },
})

const FORM = /^[23456789ABCDEFGHJKMNPQRSTVWXYZ]{4}(-[23456789ABCDEFGHJKMNPQRSTVWXYZ]{4}){2}$/
