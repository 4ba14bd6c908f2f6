import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { expectChat, recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/digest-follows',
  rules: ['CHAT-09', 'CHAT-14'],
  title: 'usage.evidence_digest follows what is published, and older records keep theirs',
  needs: ['generation', 'feature:evidence', 'platform', 'platformControl'],
  subjects: ['router'],
  isExclusive: true,
  waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
  async run(context) {
    const before = expectChat(await context.chat())
    await context.control('/rotate/deployment')
    try {
      const { payload } = expectBundle(await context.published())
      assert.notEqual(payload.evidenceDigest, before.usage.evidence_digest)
      await context.eventually(
        'the new digest is told',
        async () => expectChat(await context.chat()).usage.evidence_digest === payload.evidenceDigest,
        context.target.limits.evidencePollMs * 4,
      )
      assert.equal(recordIn(await context.record(before.id)).evidence_digest, before.usage.evidence_digest)
    } finally {
      await context.control('/rotate/deployment', { restore: true })
    }
  },
})
