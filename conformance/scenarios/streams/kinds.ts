import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/kinds',
  rules: ['EVT-07'],
  title: 'A stream is made of chunks, the usage chunk, pings, an error and [DONE], and of nothing else',
  needs: ['generation', 'backendScript'],
  waitsMs: ({ pingMs }) => pingMs * 2,
  async run(context) {
    await context.script({ chunks: 3, beforeFirstChunkMs: context.target.limits.pingMs * 1.5 })
    const exchange = await context.chat({ stream: true, stream_options: { include_usage: true } })
    const { events } = expectStream(exchange)
    for (const { data, comments, fields, raw } of events) {
      assert.deepEqual(fields, [], `an event has other fields: ${raw}`)
      if (data === undefined) assert.deepEqual(comments, [': ping'])
      else assert.deepEqual(comments, [], `a comment stands in an event: ${raw}`)
    }
  },
})
