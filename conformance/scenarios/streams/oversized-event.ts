import assert from 'node:assert/strict'
import { expectAborted } from '../../engine/aborted.ts'
import { define } from '../../engine/scenario.ts'
import { expectFailedStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/oversized-event',
  rules: ['STRM-20', 'STRM-18'],
  title: 'An event beyond 1 MiB ends the stream with an error event',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 8, fault: { kind: 'oversize', afterChunks: 3, bytes: 1_200_000 } })
    const exchange = await context.chat({ stream: true })
    const { error, text } = expectFailedStream(exchange)
    assert.equal(error.code, 'backend_error')
    assert.equal(text, 'word1 word2 word3')
    const record = await expectAborted(context, exchange)
    // Three deltas, of 17 bytes in all.
    assert.equal(record.completion_tokens, 5)
    assert.ok(record.prompt_tokens > 0, 'the prompt was not counted')
  },
})
