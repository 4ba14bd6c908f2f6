import assert from 'node:assert/strict'
import { expectChat, recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/nothing-published',
  rules: ['CHAT-10'],
  title: 'With nothing published for the endpoint, usage.evidence_digest is null',
  needs: ['generation', 'model:unpublished'],
  async run(context) {
    const model = context.model('unpublished')
    const { id, usage } = expectChat(await context.chat({ model }))
    assert.equal(usage.evidence_digest, null)
    assert.equal(recordIn(await context.record(id)).evidence_digest, null)
  },
})
