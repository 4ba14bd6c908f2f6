import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'platform/bundle',
  rules: ['BNDL-01', 'BNDL-02', 'VERS-04', 'BNDL-03', 'BNDL-12', 'BNDL-14'],
  title: 'The bundle says its kind, its version as the integer 1, its hostname, and that there is no quote',
  needs: ['platform'],
  subjects: ['platform'],
  async run(context) {
    const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
    const { bundle } = read
    assert.equal(bundle.kind, 'DeploymentEvidence')
    assert.equal(bundle.version, 1)
    assert.equal(bundle.hostname, context.target.platform?.hostname)
    assert.deepEqual(bundle.rootCaTeeQuote, { status: 'not-implemented' })
  },
})
