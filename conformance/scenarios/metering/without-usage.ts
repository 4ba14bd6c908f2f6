import assert from 'node:assert/strict'
import { expectChat, expectRecord, expectSubset } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'metering/without-usage',
  rules: ['MET-13', 'MET-11'],
  title: 'A finished answer without usage is metered as counted, and its record says so',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: ['one', ' two', ' three'], usage: 'none' })
    const { usage } = expectChat(await context.chat())
    assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0, 'nothing was counted')
    assert.ok(usage.cost_micros > 0, 'it was free')
    // 13 bytes are more than three pieces.
    const { chunks } = expectStream(await context.chat({ stream: true }))
    const streamed = expectRecord(await context.record(chunks[0]?.id ?? ''))
    expectSubset(
      streamed,
      { status: 'ok', usage_source: 'counted', completion_tokens: 4 },
      'the record of the stream',
    )
    const { generations } = await context.books()
    for (const { usage_source: source } of generations) assert.equal(source, 'counted')
  },
})
