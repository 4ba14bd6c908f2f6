import assert from 'node:assert/strict'
import { expectBundle, wireDigest } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/held',
  rules: ['EVID-06', 'EVID-24'],
  title: 'While the platform signs nothing anew, the relayed copy stays the published one, byte for byte',
  needs: ['feature:evidence', 'platform', 'platformControl', 'endpoint:own'],
  isCompared: false,
  isExclusive: true,
  waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
  async run(context) {
    await context.control('/hold')
    try {
      const published = await context.published()
      const { issuedAt } = expectBundle(published).bundle
      const relayed = await context.eventually(
        'the held bundle is relayed',
        async () => {
          const exchange = await context.request('getEvidence', { key: null })
          return expectBundle(exchange).bundle.issuedAt === issuedAt && exchange
        },
        context.target.limits.evidencePollMs * 4,
      )
      assert.equal(wireDigest(relayed.body), wireDigest(published.body))
      const { own = '' } = context.target.endpoints
      const named = await context.request('getEndpointEvidence', { params: { endpoint: own }, key: null })
      assert.equal(wireDigest(named.body), wireDigest(published.body))
    } finally {
      await context.control('/release')
    }
  },
})
