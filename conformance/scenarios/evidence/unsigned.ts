import assert from 'node:assert/strict'
import { expectBundle, wireDigest } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

const HOUR_MS = 3_600_000

export default define({
  id: 'evidence/unsigned',
  rules: ['EVID-03'],
  title:
    'A bundle whose signature is worth nothing is relayed as it was published: the router validates none',
  needs: ['feature:evidence', 'platform', 'endpoint:published', 'publishEvidence'],
  isCompared: false,
  isExclusive: true,
  waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
  async run(context) {
    const { published: endpoint = '' } = context.target.endpoints
    const { bundle, payload } = expectBundle(await context.published())
    // A later time than any that was published here before.
    const issuedAt = new Date(Date.now() - HOUR_MS).toISOString()
    const named = { hostname: `${endpoint}.localhost`, issuedAt }
    const [head, , signature] = bundle.jws.split('.')
    const claims = Buffer.from(JSON.stringify({ ...payload, ...named })).toString('base64url')
    const forged = JSON.stringify({ ...bundle, ...named, jws: `${head}.${claims}.${signature}` })
    await context.hooks('publishEvidence', { endpoint, bundle: forged })
    await context.eventually(
      'the forged bundle is relayed',
      async () => {
        const relayed = await context.request('getEndpointEvidence', { params: { endpoint }, key: null })
        return relayed.status === 200 && wireDigest(relayed.body) === wireDigest(forged)
      },
      context.target.limits.evidencePollMs * 8,
    )
    const relayed = await context.request('getEndpointEvidence', { params: { endpoint }, key: null })
    assert.equal(expectBundle(relayed).bundle.issuedAt, issuedAt)
  },
})
