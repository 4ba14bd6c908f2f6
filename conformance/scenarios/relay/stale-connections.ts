import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'relay/stale-connections',
  rules: ['RLAY-07'],
  title: 'A connection that the backend has closed meanwhile breaks no request',
  // Behind an external endpoint the connections to the backend are its gateway's.
  needs: ['generation', 'backendScript', 'endpoint:own'],
  async run(context) {
    await context.script({ chunks: 2, closeAfter: true })
    for (let turn = 0; turn < 8; turn++) {
      expectChat(await context.chat())
      expectStream(await context.chat({ stream: true }))
    }
    assert.equal((await context.received()).length, 16)
  },
})
