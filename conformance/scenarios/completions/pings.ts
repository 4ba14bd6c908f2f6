import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectTextStream } from '../../engine/texts.ts'

export default define({
  id: 'completions/pings',
  rules: ['EP-10', 'STRM-02'],
  title: 'While the first token of a text is awaited, the line ": ping" comes regularly and stops with it',
  needs: ['generation', 'model:completions', 'backendScript'],
  // How many fit in is chance on a busy machine.
  isCompared: false,
  waitsMs: ({ pingMs }) => 2.5 * pingMs,
  async run(context) {
    const { pingMs } = context.target.limits
    await context.script({ chunks: 3, beforeFirstChunkMs: 2.5 * pingMs })
    const exchange = await context.request('createCompletion', { body: { stream: true } })
    const { pings, text } = expectTextStream(exchange)
    assert.ok(pings.length >= 1, 'there was no ping')
    for (const { comments } of pings) assert.deepEqual(comments, [': ping'])
    assert.equal(text, 'word1 word2 word3')
    const firstText = exchange.body.indexOf('word1')
    assert.ok(exchange.body.lastIndexOf(': ping') < firstText, 'a ping came after the first token')
  },
})
