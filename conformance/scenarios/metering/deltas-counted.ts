import assert from 'node:assert/strict'
import { expectAborted } from '../../engine/aborted.ts'
import { define } from '../../engine/scenario.ts'
import { expectFailedStream } from '../../engine/stream.ts'

export default define({
  id: 'metering/deltas-counted',
  rules: ['MET-09'],
  title: 'Without usage an aborted stream counts each delivered piece of text, reasoning and tool call',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({
      reasoning: ['r', 's'],
      chunks: ['a', '', 'b'],
      toolCalls: [{ name: 'look', arguments: ['{"a"', ':1}'] }],
      usage: 'none',
      fault: { kind: 'cut', afterChunks: 99 },
    })
    const exchange = await context.chat({ stream: true })
    expectFailedStream(exchange)
    const record = await expectAborted(context, exchange)
    // Two of reasoning, two of text (the empty piece is none), two of the tool call.
    assert.equal(record.completion_tokens, 6)
    assert.equal(record.usage_source, 'counted')
  },
})
