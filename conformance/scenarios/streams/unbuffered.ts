import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { countTexts } from '../../engine/stream.ts'

export default define({
  id: 'streams/unbuffered',
  rules: ['STRM-05', 'STRM-10'],
  title: 'Each chunk is handed on while the backend has not sent the next',
  needs: ['generation', 'backendScript'],
  async run(context) {
    // The backend falls silent after three pieces: a relay that waits for more shows none of them.
    await context.script({ chunks: 6, fault: { kind: 'stall', afterChunks: 3 } })
    const call = await context.stream()
    const came = await call.until((soFar) => countTexts(soFar) === 3, context.target.limits.idleMs)
    assert.ok(came, `only ${countTexts(call.exchange)} of 3 pieces came before the backend went on`)
    call.abort()
  },
})
