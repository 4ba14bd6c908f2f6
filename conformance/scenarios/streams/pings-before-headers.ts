import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/pings-before-headers',
  rules: ['STRM-02'],
  title: 'Pings go out as well while the backend has not answered at all',
  needs: ['generation', 'backendScript'],
  waitsMs: ({ pingMs }) => pingMs * 5,
  async run(context) {
    const { pingMs, firstByteMs } = context.target.limits
    // On a busy machine an interval may be late; so may the backend, and it has to come in time.
    const leastMs = pingMs * 1.4
    const waitMs = Math.max(leastMs, Math.min(leastMs + context.patience(pingMs * 0.8), firstByteMs / 2))
    await context.script({ chunks: 2, beforeHeadersMs: waitMs })
    const { pings, text } = expectStream(await context.chat({ stream: true }))
    assert.ok(pings.length >= 1, `${pings.length} pings came in ${waitMs} ms`)
    assert.notEqual(text, '')
  },
})
