import assert from 'node:assert/strict'
import { canonical, expectBundle, wireDigest } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'platform/payload',
  rules: ['BNDL-17', 'BNDL-19', 'BNDL-21', 'BNDL-22'],
  title: 'The payload repeats what the envelope says, and its digest is that of the canonical snapshot',
  needs: ['platform'],
  subjects: ['platform'],
  async run(context) {
    const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
    const { bundle, payload } = read

    for (const name of ['version', 'kind', 'hostname', 'issuedAt', 'certFingerprint'] as const) {
      assert.equal(payload[name], bundle[name], `${name} is not the same`)
    }
    assert.equal(payload.evidence.version, 2)
    assert.ok(Array.isArray(payload.evidence.resources))
    assert.equal(payload.evidenceDigest, wireDigest(canonical(payload.evidence)))
    assert.ok(bundle.tlsLeaf)
  },
})
