import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/pings-before-headers',
  rules: ['STRM-02'],
  title: 'Pings go out as well while the backend has not answered at all',
  needs: ['generation', 'backendScript'],
  waitsMs: ({ pingMs }) => pingMs * 3,
  async run(context) {
    const { pingMs } = context.target.limits
    await context.script({ chunks: 2, beforeHeadersMs: pingMs * 2.5 })
    const { pings, text } = expectStream(await context.chat({ stream: true }))
    assert.ok(pings.length >= 2, `${pings.length} pings came in ${pingMs * 2.5} ms`)
    assert.notEqual(text, '')
  },
})
