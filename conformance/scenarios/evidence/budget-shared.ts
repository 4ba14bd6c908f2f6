import { limits } from '#contract/limits'
import { expectStatus } from '../../engine/expect.ts'
import { addressFor } from '../../engine/invitations.ts'
import { askUntilRefused, expectLimited } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/budget-shared',
  // The events that it speaks of belong to the console.
  rules: ['LIM-36'],
  title: 'An address may ask for evidence 120 times a minute, whichever endpoint it asks for',
  needs: ['feature:evidence', 'endpoint:own', 'forwarded'],
  // Through the proxy the platform says who asks.
  subjects: ['router'],
  async run(context) {
    const { own: endpoint = '' } = context.target.endpoints
    const headers = { 'x-forwarded-for': addressFor(`${context.nonce} reads`) }
    const ask = (turn: number) =>
      turn % 2 === 0
        ? context.request('getEvidence', { key: null, headers })
        : context.request('getEndpointEvidence', { key: null, headers, params: { endpoint } })
    const since = Date.now()
    for (let turn = 0; turn < limits.evidencePerMinute; turn++) expectStatus(await ask(turn), 200)
    const refused = await askUntilRefused(ask, limits.evidencePerMinute, since)
    expectLimited(refused, limits.evidencePerMinute)
  },
})
