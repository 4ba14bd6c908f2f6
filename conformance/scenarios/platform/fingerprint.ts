import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { expectBundle, wireDigest } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'platform/fingerprint',
  rules: ['BNDL-07', 'BNDL-08'],
  title: 'certFingerprint is the SHA-256 of the certificate on the wire, and tlsLeaf is that certificate',
  needs: ['platform'],
  subjects: ['platform'],
  async run(context) {
    const exchange = await context.request('getPlatformEvidence', { key: null })
    const { bundle } = expectBundle(exchange)
    assert.ok(exchange.leaf, 'the connection showed no certificate')
    assert.equal(bundle.certFingerprint, wireDigest(exchange.leaf))
    assert.ok(
      new X509Certificate(bundle.tlsLeaf ?? '').raw.equals(exchange.leaf),
      'tlsLeaf is another certificate',
    )
  },
})
