import assert from 'node:assert/strict'
import { expectChat, expectRecord } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'chat/digest-in-wire-form',
  rules: ['CHAT-13'],
  title: 'usage.evidence_digest is null or a digest in wire form, in the record as well',
  needs: ['generation'],
  async run(context) {
    const { id, usage } = expectChat(await context.chat())
    if (usage.evidence_digest !== null) assert.match(usage.evidence_digest, /^sha256\/[A-Za-z0-9_-]{43}$/)
    assert.equal(expectRecord(await context.record(id)).evidence_digest, usage.evidence_digest)
  },
})
