import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'relay/never-sent-twice',
  rules: ['RLAY-07', 'RLAY-08'],
  title: 'A request of which a byte was sent is never sent again',
  needs: ['generation', 'backendScript'],
  async run(context) {
    const faults = [
      { fault: { kind: 'refuse' } },
      { chunks: 5, fault: { kind: 'cut', afterChunks: 0 } },
      { chunks: 5, fault: { kind: 'cut', afterChunks: 2 } },
      { chunks: 5, fault: { kind: 'cut', afterChunks: 2, reset: true } },
      { status: 503 },
    ]
    for (const [index, script] of faults.entries()) {
      await context.script(script)
      await context.chat({ stream: true })
      assert.equal(
        (await context.received()).length,
        index + 1,
        `it was sent again after ${JSON.stringify(script)}`,
      )
    }
  },
})
