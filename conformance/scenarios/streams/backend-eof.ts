import assert from 'node:assert/strict'
import { expectAborted } from '../../engine/aborted.ts'
import { define } from '../../engine/scenario.ts'
import { expectFailedStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/backend-eof',
  rules: ['STRM-14', 'STRM-18'],
  title: 'A backend that ends without [DONE] becomes an error event, and what came is metered',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 8, fault: { kind: 'eof', afterChunks: 3 } })
    const exchange = await context.chat({ stream: true })
    const { error, text } = expectFailedStream(exchange)
    assert.equal(error.code, 'backend_unavailable')
    assert.equal(text, 'word1 word2 word3')
    const record = await expectAborted(context, exchange)
    // Three deltas, of 17 bytes in all.
    assert.equal(record.completion_tokens, 5)
    assert.ok(record.prompt_tokens > 0, 'the prompt was not counted')
  },
})
