import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { expectChat, expectModels } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/not-judged',
  rules: ['EVID-31'],
  title: 'The router does not judge its own endpoint: whatever is deployed, its models are listed and served',
  needs: ['generation', 'feature:evidence', 'platform', 'platformControl'],
  subjects: ['router'],
  isExclusive: true,
  waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
  async run(context) {
    await context.control('/rotate/deployment')
    try {
      const { payload } = expectBundle(await context.published())
      const answer = await context.eventually(
        'the new deployment is published by the router',
        async () => {
          const found = expectChat(await context.chat())
          return found.usage.evidence_digest === payload.evidenceDigest && found
        },
        context.target.limits.evidencePollMs * 4,
      )
      assert.equal(answer.model, context.model())
      const ids = expectModels(await context.request('listModels')).map(({ id }) => id)
      assert.ok(ids.includes(context.model()), 'its model is not listed any more')
    } finally {
      await context.control('/rotate/deployment', { restore: true })
    }
  },
})
