import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import type { Exchange } from '../../engine/http/exchange.ts'
import { addressFor, anyGrant, invitationNeeds } from '../../engine/invitations.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'invitations/budget',
  // The other budgets that LIM-11 names are the console's.
  rules: ['EP-20', 'LIM-11'],
  title:
    'An address that looks too many invitations up is 429, and nobody else is, nor its own requests to models',
  needs: [...invitationNeeds, 'forwarded', 'generation'],
  // Through the proxy the platform says who asks.
  subjects: ['router'],
  async run(context) {
    const { code } = await context.hooks('issueInvitation', { grant_micros: anyGrant(context) })
    const ask = (from: string) =>
      context.request('getInvitation', { key: null, params: { code }, headers: { 'x-forwarded-for': from } })
    const address = addressFor(`${context.nonce} asks too often`)
    let refused: Exchange | undefined
    for (let turn = 0; turn < MOST && refused === undefined; turn++) {
      const exchange = await ask(address)
      if (exchange.status !== 200) refused = exchange
    }
    assert.ok(refused, `the address was never refused in ${MOST} look-ups`)
    expectError(refused, 'rate_limit_exceeded')
    expectStatus(await ask(addressFor(`${context.nonce} is somebody else`)), 200)
    expectStatus(await context.chat({}, { headers: { 'x-forwarded-for': address } }), 200)
  },
})

/** More than any budget is believed to be (ours). */
const MOST = 300
