import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'chat/shape',
  rules: ['CHAT-01', 'EP-03'],
  title: "An answer that is not streamed is OpenAI's chat.completion object",
  needs: ['generation'],
  async run(context) {
    const answer = expectChat(await context.chat())
    assert.equal(answer.object, 'chat.completion')
  },
})
