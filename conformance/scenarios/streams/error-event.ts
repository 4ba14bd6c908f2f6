import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectFailedStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/error-event',
  rules: ['STRM-06', 'ERR-36', 'EVT-04'],
  title: 'An error after the start of a stream is its last event with an error object, and [DONE] follows',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 8, fault: { kind: 'cut', afterChunks: 3 } })
    const { error, events, text } = expectFailedStream(await context.chat({ stream: true }))
    assert.equal(text, 'word1 word2 word3')
    assert.equal(error.type, 'upstream_error')
    assert.ok(events.length >= 5)
  },
})
