import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/not-fetched',
  rules: ['EVID-26', 'EVID-27'],
  title: 'An endpoint of which nothing was fetched yet answers 503 with statusCode, reason and a message',
  needs: ['feature:evidence', 'endpoint:unfetched'],
  async run(context) {
    const { unfetched: endpoint = '' } = context.target.endpoints
    const exchange = await context.request('getEndpointEvidence', { params: { endpoint }, key: null })
    expectStatus(exchange, 503)
    const { message, ...others } = objectOf(exchange)
    assert.deepEqual(others, { statusCode: 503, reason: 'evidence_not_fetched' })
    assert.equal(typeof message, 'string')
    assert.equal(exchange.headers['cache-control'], 'no-store')
  },
})
