import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'chat/model',
  rules: ['CHAT-03'],
  title: "The model of an answer is the router's id, as the request named it",
  needs: ['generation'],
  async run(context) {
    assert.equal(expectChat(await context.chat()).model, context.model())
    const { chunks } = expectStream(
      await context.chat({ stream: true, stream_options: { include_usage: true } }),
    )
    for (const { model } of chunks) assert.equal(model, context.model())
  },
})
