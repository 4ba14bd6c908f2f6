import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'relay/early-hints',
  rules: ['RLAY-14'],
  title: 'A backend that sends a 103, and then an answer without a length, is relayed like any other',
  needs: ['generation', 'backendScript'],
  async run(context) {
    for (const untilClose of [false, true]) {
      await context.script({ chunks: 3, hints: true, untilClose })
      assert.equal(expectChat(await context.chat()).choices[0]?.message.content, 'word1 word2 word3')
      assert.equal(expectStream(await context.chat({ stream: true })).text, 'word1 word2 word3')
    }
  },
})
