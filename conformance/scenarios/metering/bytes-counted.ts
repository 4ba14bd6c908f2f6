import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

/** Few pieces of many tokens each, as speculative decoding sends them; 101 bytes in all. */
const PIECES = ['x'.repeat(40), 'é'.repeat(20), 'x'.repeat(21)]

export default define({
  id: 'metering/bytes-counted',
  rules: ['MET-09'],
  title:
    'Without usage a text counts as a quarter of its bytes where that is more, in streams and answers alike',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: PIECES, usage: 'none' })
    assert.equal(expectChat(await context.chat()).usage.completion_tokens, 26)
    const streamed = await context.chat({ stream: true, stream_options: { include_usage: true } })
    assert.equal(expectStream(streamed).usage?.completion_tokens, 26)
  },
})
