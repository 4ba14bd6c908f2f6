import { expectStatus, expectSubset } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/not-fetched-own',
  rules: ['EVID-26', 'EVID-27'],
  title: 'The bare path, too, answers 503 while nothing of the own endpoint was fetched yet',
  needs: ['feature:evidence', 'spare'],
  subjects: ['router'],
  async run(context) {
    const exchange = await context.request('getEvidence', { key: null, baseUrl: context.target.spareUrl })
    expectStatus(exchange, 503)
    expectSubset(objectOf(exchange), { statusCode: 503, reason: 'evidence_not_fetched' })
  },
})
