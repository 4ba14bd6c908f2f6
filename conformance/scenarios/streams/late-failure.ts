import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectFailedStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/late-failure',
  rules: ['STRM-11', 'STRM-18'],
  title: 'A backend that fails once pings have begun ends the stream with an error',
  needs: ['generation', 'backendScript'],
  waitsMs: ({ pingMs }) => pingMs * 2,
  async run(context) {
    const { pingMs } = context.target.limits
    await context.script({ status: 503, beforeHeadersMs: pingMs * 1.7 })
    const { error, chunks } = expectFailedStream(await context.chat({ stream: true }))
    assert.equal(error.code, 'backend_unavailable')
    assert.deepEqual(chunks, [])
  },
})
