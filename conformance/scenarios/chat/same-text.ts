import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'chat/same-text',
  rules: ['SRV-08', 'EP-03'],
  title: 'A stream says the same as a whole answer',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: ['Grüße', ' aus', ' 東京', ' 🚀'], promptTokens: 5, completionTokens: 4 })
    const whole = expectChat(await context.chat())
    const { text } = expectStream(await context.chat({ stream: true }))
    assert.equal(whole.choices[0]?.message.content, 'Grüße aus 東京 🚀')
    assert.equal(text, whole.choices[0]?.message.content)
  },
})
