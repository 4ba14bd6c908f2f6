import assert from 'node:assert/strict'
import { limits } from '#contract/limits'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { addressFor, anyGrant, invitationNeeds } from '../../engine/invitations.ts'
import { askUntilRefused, readBucket } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/budget-size',
  rules: ['LIM-34'],
  title: 'An address may look up 30 invitations a minute, good codes and bad ones alike',
  needs: [...invitationNeeds, 'forwarded'],
  // Through the proxy the platform says who asks.
  subjects: ['router'],
  async run(context) {
    const { code } = await context.hooks('issueInvitation', { grant_micros: anyGrant(context) })
    const headers = { 'x-forwarded-for': addressFor(`${context.nonce} counts`) }
    const ask = (typed: string) =>
      context.request('getInvitation', { key: null, params: { code: typed }, headers })
    const since = Date.now()
    for (let turn = 0; turn < limits.invitationLookupsPerMinute; turn++)
      expectStatus(await ask(turn % 2 === 0 ? code : 'nonsense'), turn % 2 === 0 ? 200 : 404)
    const exchange = await askUntilRefused(() => ask(code), limits.invitationLookupsPerMinute, since)
    expectError(exchange, 'rate_limit_exceeded')
    const { limit, remaining, retryAfterMs } = readBucket(exchange)
    assert.deepEqual([limit, remaining], [limits.invitationLookupsPerMinute, 0])
    assert.ok(retryAfterMs > 0 && retryAfterMs <= 2_000, `retry-after-ms is ${retryAfterMs}`)
  },
})
