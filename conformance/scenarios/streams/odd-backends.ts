import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/odd-backends',
  rules: ['STRM-08', 'EVT-07'],
  title: 'However legally a backend writes its events, the client gets the same chunks under one id',
  needs: ['generation', 'backendScript'],
  async run(context) {
    const chunks = ['Grüße', ' 東京', ' 🚀', ' end']
    for (const [name, wire] of Object.entries(wires)) {
      await context.script({ chunks, wire })
      const stream = expectStream(await context.chat({ stream: true }))
      assert.equal(stream.text, chunks.join(''), `the text is another with ${name}`)
      assert.equal(new Set(stream.chunks.map(({ id }) => id)).size, 1, `several ids with ${name}`)
      for (const { model } of stream.chunks)
        assert.equal(model, context.model(), `another model with ${name}`)
      for (const { raw, comments } of stream.events) {
        assert.ok(comments.length === 0 || raw === ': ping\n\n', `a comment of the backend came with ${name}`)
      }
    }
  },
})

/** All of it is legal. */
const wires = {
  crlf: { lineEnd: 'crlf' },
  cr: { lineEnd: 'cr' },
  'byte-order-mark': { bom: true },
  comments: { comments: true },
  'no-space': { noSpace: true },
  'multi-line': { multiLine: true },
  'id-last': { idLast: true },
  'id-per-chunk': { idPerChunk: true },
  'single-bytes': { bytesPerWrite: 1 },
  'events-at-once': { eventsPerWrite: 4 },
}
