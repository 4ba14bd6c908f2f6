import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/newest',
  rules: ['EVID-05', 'EP-17', 'EVID-33', 'EVID-32'],
  title:
    'The bundle issued last among those that were fetched is served, within the time between two fetches',
  needs: ['feature:evidence', 'platform', 'platformControl'],
  // How often it looks before the new one is there is chance.
  isCompared: false,
  isExclusive: true,
  waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
  async run(context) {
    const before = expectBundle(await context.request('getEvidence', { key: null })).bundle.issuedAt
    await context.control('/resign')
    const published = expectBundle(await context.published()).bundle.issuedAt
    assert.ok(Date.parse(published) > Date.parse(before), 'the platform has not signed anew')
    await context.eventually(
      'the new bundle is relayed',
      async () => {
        const { issuedAt } = expectBundle(await context.request('getEvidence', { key: null })).bundle
        assert.ok(Date.parse(issuedAt) >= Date.parse(before), 'an older bundle took the place of a newer one')
        return Date.parse(issuedAt) >= Date.parse(published)
      },
      context.target.limits.evidencePollMs * 4,
    )
  },
})
