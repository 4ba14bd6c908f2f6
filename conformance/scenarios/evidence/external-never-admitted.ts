import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { withUnreachable } from '../../engine/upstream.ts'

export default define({
  id: 'evidence/external-never-admitted',
  rules: ['EVID-29'],
  title: 'An external endpoint that was never admitted answers 503 evidence_not_fetched',
  needs: ['feature:upstreams', 'registerUpstream', 'setVerdict'],
  // Its name is another each time, for an admission would stay for good.
  isCompared: false,
  run: (context) =>
    withUnreachable(context, `never-${context.subject}-${context.random.word(12)}`, async (endpoint) => {
      const refused = await context.request('getEndpointEvidence', { key: null, params: { endpoint } })
      expectStatus(refused, 503)
      const { statusCode, reason, message } = objectOf(refused)
      assert.deepEqual([statusCode, reason, typeof message], [503, 'evidence_not_fetched', 'string'])
    }),
})
