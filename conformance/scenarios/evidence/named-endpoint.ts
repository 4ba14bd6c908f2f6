import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/named-endpoint',
  rules: ['EP-18', 'EVID-09'],
  title: 'The bundle of an endpoint is served under its name and under its hostname',
  needs: ['feature:evidence', 'endpoint:own'],
  async run(context) {
    const { own = '' } = context.target.endpoints
    const byName = expectBundle(
      await context.request('getEndpointEvidence', { params: { endpoint: own }, key: null }),
    )
    const { hostname } = byName.bundle
    const byHostname = await context.request('getEndpointEvidence', {
      params: { endpoint: hostname },
      key: null,
    })
    assert.equal(expectBundle(byHostname).bundle.hostname, hostname)
  },
})
