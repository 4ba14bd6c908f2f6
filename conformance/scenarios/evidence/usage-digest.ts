import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { expectChat, recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'evidence/usage-digest',
  rules: ['CHAT-09', 'CHAT-14'],
  title: 'usage.evidence_digest is the digest that stands published for the endpoint',
  needs: ['generation', 'feature:evidence'],
  async run(context) {
    const { payload } = expectBundle(await context.request('getEvidence', { key: null }))
    const { id, usage } = expectChat(await context.chat())
    assert.equal(usage.evidence_digest, payload.evidenceDigest)
    assert.equal(recordIn(await context.record(id)).evidence_digest, payload.evidenceDigest)
    const stream = expectStream(await context.chat({ stream: true, stream_options: { include_usage: true } }))
    assert.equal(stream.usage?.evidence_digest, payload.evidenceDigest)
  },
})
