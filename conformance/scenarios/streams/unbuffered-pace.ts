import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

/** Streams that one slow moment of the machine may spoil: a product that buffers does so with each of them (ours). */
const ATTEMPTS = 5

export default define({
  id: 'streams/unbuffered-pace',
  rules: ['STRM-05', 'STRM-10'],
  title: 'Pieces arrive at the pace at which the backend writes them',
  needs: ['generation', 'backendScript'],
  async run(context) {
    const paceMs = 120
    let widestMs = 0
    for (let attempt = 0; attempt < ATTEMPTS && widestMs <= paceMs * 2; attempt++) {
      await context.script({ chunks: 5, betweenChunksMs: paceMs })
      const { events } = expectStream(await context.chat({ stream: true }))
      const texts = events.filter(
        ({ data }) => data?.includes('"content":"') && !data.includes('"content":""'),
      )
      assert.equal(texts.length, 5)
      widestMs = Math.max(widestMs, texts[4]!.atMs - texts[0]!.atMs)
    }
    assert.ok(
      widestMs > paceMs * 2,
      `five pieces, written over ${paceMs * 4} ms, arrived within ${widestMs} ms`,
    )
  },
})
