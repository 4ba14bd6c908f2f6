import assert from 'node:assert/strict'
import { expectChat, expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'endpoints/chat',
  rules: ['EP-02', 'EP-03', 'SRV-09'],
  title: 'POST /chat/completions asks for a key and answers a chat, whole or streamed',
  needs: ['generation'],
  async run(context) {
    expectError(await context.chat({}, { key: null }), 'invalid_api_key')
    assert.equal(expectChat(await context.chat()).object, 'chat.completion')
    const { chunks } = expectStream(await context.chat({ stream: true }))
    assert.equal(chunks[0]?.object, 'chat.completion.chunk')
  },
})
