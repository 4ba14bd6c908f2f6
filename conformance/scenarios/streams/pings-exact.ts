import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/pings-exact',
  rules: ['STRM-12'],
  title: 'Pings are exactly a line : ping and an empty one, between events only, and stop at the first text',
  needs: ['generation', 'backendScript'],
  waitsMs: ({ pingMs }) => pingMs * 5,
  async run(context) {
    const { pingMs } = context.target.limits
    await context.script({ chunks: 3, beforeFirstChunkMs: pingMs * 1.5, betweenChunksMs: pingMs * 1.2 })
    const { events, pings } = expectStream(await context.chat({ stream: true }))
    assert.ok(pings.length > 0, 'no ping came')
    for (const { raw } of pings) assert.equal(raw, ': ping\n\n')
    const firstText = events.findIndex(({ data }) => data?.includes('"content":"word1'))
    const after = events.slice(firstText).filter(({ comments }) => comments.length > 0)
    assert.ok(firstText > 0, 'the text did not come')
    assert.equal(after.length, 0, 'pings went on after the first text')
  },
})
