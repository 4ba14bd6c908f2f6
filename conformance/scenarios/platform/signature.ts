import assert from 'node:assert/strict'
import { expectBundle, isSigned } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'platform/signature',
  rules: ['BNDL-09', 'BNDL-10', 'DIG-03'],
  title:
    'The jws is a signature of the first certificate over a payload with the snapshot and its digest in wire form',
  needs: ['platform'],
  subjects: ['platform'],
  async run(context) {
    const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
    const { payload } = read

    assert.ok(isSigned(read), 'the signature is not that of the first certificate')
    assert.match(payload.evidenceDigest, /^sha256\/[A-Za-z0-9_-]{43}$/)
    assert.equal(typeof payload.evidence, 'object')
  },
})
