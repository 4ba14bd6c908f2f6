import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { expectStatus } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/undecided',
  rules: ['EVID-19'],
  title: 'A router that cannot tell which endpoint is its own refuses the bare path with 404',
  needs: ['feature:evidence', 'sibling', 'endpoint:own'],
  subjects: ['router'],
  async run(context) {
    const baseUrl = context.target.siblingUrl
    const refused = await context.request('getEvidence', { key: null, baseUrl })
    expectStatus(refused, 404)
    const { statusCode, message } = objectOf(refused)
    assert.equal(statusCode, 404)
    assert.equal(typeof message, 'string')
    // By their names they can be had all the same.
    const { own: endpoint = '' } = context.target.endpoints
    expectBundle(await context.request('getEndpointEvidence', { params: { endpoint }, key: null, baseUrl }))
  },
})
