import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/own-endpoint',
  rules: ['EVID-28'],
  title: 'The bare path speaks of the own endpoint that has the host of the public address',
  needs: ['feature:evidence', 'platform', 'endpoint:own'],
  async run(context) {
    const bare = expectBundle(await context.request('getEvidence', { key: null }))
    assert.equal(bare.bundle.hostname, context.target.platform?.hostname)
    const { own = '' } = context.target.endpoints
    const named = expectBundle(
      await context.request('getEndpointEvidence', { params: { endpoint: own }, key: null }),
    )
    assert.equal(named.bundle.hostname, bare.bundle.hostname)
  },
})
