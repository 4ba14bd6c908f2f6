import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'relay/idle-backend',
  rules: ['RLAY-06'],
  title: 'A backend that is slow but within the times for each step is waited for',
  needs: ['generation', 'backendScript'],
  waitsMs: ({ firstByteMs, idleMs }) => (Math.min(firstByteMs, idleMs) + idleMs * 2) * 0.5,
  async run(context) {
    const { firstByteMs, idleMs } = context.target.limits
    await context.script({
      chunks: 3,
      beforeFirstChunkMs: Math.min(firstByteMs, idleMs) * 0.4,
      betweenChunksMs: idleMs * 0.4,
    })
    assert.equal(expectStream(await context.chat({ stream: true })).text, 'word1 word2 word3')
  },
})
