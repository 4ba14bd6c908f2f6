import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'relay/failover',
  rules: ['RLAY-07'],
  title: 'A backend that refuses the connection is passed over for another one',
  needs: ['generation', 'backendScript', 'model:failover'],
  async run(context) {
    await context.script({ chunks: 3 })
    const model = context.model('failover')
    for (let turn = 0; turn < 6; turn++) {
      assert.equal(expectChat(await context.chat({ model })).choices[0]?.message.content, 'word1 word2 word3')
      assert.equal(expectStream(await context.chat({ model, stream: true })).text, 'word1 word2 word3')
    }
    assert.equal((await context.received()).length, 12)
  },
})
