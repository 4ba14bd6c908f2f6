import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/pings-stop-at-reasoning',
  rules: ['STRM-12'],
  title: 'Pings stop at the first piece of reasoning',
  needs: ['generation', 'backendScript'],
  waitsMs: ({ pingMs }) => pingMs * 5,
  async run(context) {
    const { pingMs } = context.target.limits
    const script = { reasoning: 2, chunks: 1 }
    await context.script({ ...script, beforeFirstChunkMs: pingMs * 1.5, betweenChunksMs: pingMs * 1.2 })
    const { events, pings } = expectStream(await context.chat({ stream: true }))
    assert.ok(pings.length > 0, 'no ping came')
    const first = events.findIndex(({ data }) => /"reasoning_content":"|"tool_calls":\[/.test(data ?? ''))
    assert.ok(first > 0, 'the first piece did not come')
    assert.equal(
      events.slice(first).filter(({ comments }) => comments.length > 0).length,
      0,
      'pings went on after it',
    )
  },
})
