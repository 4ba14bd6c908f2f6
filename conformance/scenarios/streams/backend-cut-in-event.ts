import assert from 'node:assert/strict'
import { expectAborted } from '../../engine/aborted.ts'
import { define } from '../../engine/scenario.ts'
import { expectFailedStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/backend-cut-in-event',
  rules: ['STRM-25'],
  title: 'A backend that dies within an event becomes an error event, with no half event before it',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    for (const lineEnd of ['lf', 'crlf', 'cr'] as const) {
      await context.script({
        chunks: 8,
        wire: { lineEnd },
        fault: { kind: 'cut', afterChunks: 3, half: true },
      })
      const exchange = await context.chat({ stream: true })
      // Every event is read as JSON, so that a half one is seen.
      const { error, text } = expectFailedStream(exchange)
      assert.equal(error.code, 'backend_unavailable')
      assert.equal(text, 'word1 word2 word3')
      await expectAborted(context, exchange)
    }
  },
})
