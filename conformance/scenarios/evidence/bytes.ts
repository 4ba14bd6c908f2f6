import assert from 'node:assert/strict'
import { expectBundle, wireDigest } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/bytes',
  rules: ['EVID-02', 'EVID-06', 'EVID-24'],
  title: 'Evidence is relayed byte for byte: its hash is that of the copy of the platform',
  needs: ['feature:evidence', 'platform'],
  // How often it looks before the two are of one signing is chance.
  isCompared: false,
  waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
  async run(context) {
    const same = await context.eventually(
      'the relayed copy is the published one',
      async () => {
        const published = await context.published()
        const relayed = await context.request('getEvidence', { key: null })
        const isSameSigning =
          expectBundle(published).bundle.issuedAt === expectBundle(relayed).bundle.issuedAt
        return isSameSigning && { published, relayed }
      },
      context.target.limits.evidencePollMs * 4,
    )
    assert.equal(wireDigest(same.relayed.body), wireDigest(same.published.body))
  },
})
