import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { textOf } from '../../engine/http/exchange.ts'
import { anyGrant, invitationNeeds, lookUp } from '../../engine/invitations.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/no-good-alike',
  rules: ['INV-05'],
  title: 'A code that is unknown, expired, exhausted, withdrawn or none at all is the same 404 not_found',
  needs: [...invitationNeeds, 'withdrawInvitation', 'redeemInvitation', 'workspace'],
  // Through the proxy all share the budget of one address.
  subjects: ['router'],
  async run(context) {
    const grant_micros = anyGrant(context)
    const issue = (settings: object = {}) =>
      context.hooks('issueInvitation', { grant_micros, ...settings }).then(({ code }) => code)
    const expired = await issue({ expires_at: '2020-01-01T00:00:00Z' })
    const withdrawn = await issue()
    await context.hooks('withdrawInvitation', { code: withdrawn })
    const exhausted = await issue()
    const { workspaceId: workspace_id = '' } = await context.own()
    await context.hooks('redeemInvitation', { code: exhausted, account: context.nonce, workspace_id })
    const bodies: string[] = []
    for (const code of [
      '2222-2222-2222',
      expired,
      withdrawn,
      exhausted,
      'none',
      '%00',
      '..',
      'a'.repeat(500),
    ]) {
      const exchange = await lookUp(context, code)
      expectError(exchange, 'not_found')
      bodies.push(textOf(exchange))
    }
    const codes = bodies.slice(0, 5)
    assert.deepEqual(
      codes,
      codes.map(() => bodies[0]),
    )
  },
})
