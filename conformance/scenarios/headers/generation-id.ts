import assert from 'node:assert/strict'
import { expectChat, generationIdOf } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'headers/generation-id',
  rules: ['HDR-03'],
  title: 'X-Router-Generation-Id is the id of the generation, whole or streamed',
  needs: ['generation'],
  async run(context) {
    const whole = await context.chat()
    assert.equal(generationIdOf(whole), expectChat(whole).id)
    const streamed = await context.chat({ stream: true })
    assert.equal(generationIdOf(streamed), expectStream(streamed).chunks[0]?.id)
  },
})
