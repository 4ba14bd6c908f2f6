import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/key-does-not-matter',
  rules: ['AUTH-04'],
  title: 'Evidence needs no key, and a wrong one does no harm',
  needs: ['feature:evidence', 'endpoint:own'],
  async run(context) {
    for (const key of [null, 'sk-tee-v1-nonsense']) {
      const { kind } = expectBundle(await context.request('getEvidence', { key })).bundle
      assert.equal(kind, 'DeploymentEvidence')
      const { own = '' } = context.target.endpoints
      expectBundle(await context.request('getEndpointEvidence', { params: { endpoint: own }, key }))
    }
  },
})
