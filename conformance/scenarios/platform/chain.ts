import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'platform/chain',
  rules: ['BNDL-06'],
  title: 'The chain holds certificates in PEM, from the one that signs to a root that signed itself',
  needs: ['platform'],
  subjects: ['platform'],
  async run(context) {
    const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
    const { bundle, chain } = read

    assert.ok(chain.length >= 2, 'there is no chain')
    for (const pem of bundle.certChain)
      assert.match(pem, /^-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\s*$/)
    for (const [index, certificate] of chain.entries()) {
      const issuer = chain[index + 1] ?? certificate
      assert.ok(certificate.checkIssued(issuer), `certificate ${index} was not issued by the next`)
      assert.ok(certificate.verify(issuer.publicKey), `certificate ${index} was not signed by the next`)
    }
  },
})
