import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'platform/path',
  rules: ['EP-21', 'EP-22', 'SRV-05', 'AUTH-04'],
  title: "The platform's gateway serves the signed bundle at its path without a key, and the router does not",
  needs: ['platform'],
  subjects: ['platform'],
  async run(context) {
    const { bundle } = expectBundle(await context.request('getPlatformEvidence', { key: null }))
    assert.equal(bundle.kind, 'DeploymentEvidence')
    const atRouter = await fetch(`${new URL(context.target.baseUrl).origin}/.well-known/platform-evidence`)
    assert.equal(atRouter.status, 404, 'the router serves it itself')
  },
})
