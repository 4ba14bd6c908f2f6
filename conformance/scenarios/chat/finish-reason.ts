import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'chat/finish-reason',
  rules: ['CHAT-01'],
  title: "The reason for an answer's end is the model's",
  needs: ['generation', 'backendScript'],
  async run(context) {
    for (const finishReason of ['length', 'content_filter']) {
      await context.script({ chunks: 2, finishReason })
      assert.equal(expectChat(await context.chat()).choices[0]?.finish_reason, finishReason)
      const { chunks } = expectStream(await context.chat({ stream: true }))
      const reasons = chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])
      assert.deepEqual(reasons, [finishReason])
    }
  },
})
