import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'platform/resigned',
  rules: ['BNDL-05', 'LIM-16'],
  title: 'The bundle is signed anew every few minutes',
  needs: ['platform'],
  subjects: ['platform'],
  waitsMs: ({ resignMs }) => resignMs,
  async run(context) {
    const issuedAt = async () =>
      expectBundle(await context.request('getPlatformEvidence', { key: null })).bundle.issuedAt
    const first = await issuedAt()
    await context.eventually(
      'the bundle is signed anew',
      async () => Date.parse(await issuedAt()) > Date.parse(first),
      context.target.limits.resignMs * 1.5,
    )
  },
})
