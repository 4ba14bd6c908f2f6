import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'chat/usage-in-stream',
  rules: ['CHAT-05'],
  title: 'The last chunk of a stream has the same three members in its usage',
  needs: ['generation'],
  async run(context) {
    const { usage } = expectStream(
      await context.chat({ stream: true, stream_options: { include_usage: true } }),
    )
    assert.ok(usage, 'there is no usage')
    assert.ok(Number.isInteger(usage.cost_micros))
    assert.equal(typeof usage.endpoint, 'string')
    assert.ok(usage.evidence_digest === null || typeof usage.evidence_digest === 'string')
  },
})
