import assert from 'node:assert/strict'
import { expectRecord } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'generations/streamed-fields',
  rules: ['GEN-20'],
  title: 'The record of a stream times its first token and tells its speed',
  needs: ['generation', 'backendScript'],
  waitsMs: () => 1_500,
  async run(context) {
    await context.script({ chunks: 10, beforeFirstChunkMs: 60, betweenChunksMs: 150 })
    const { chunks } = expectStream(await context.chat({ stream: true }))
    const record = expectRecord(await context.record(chunks[0]?.id ?? ''))
    assert.equal(record.streamed, true)
    const firstMs = record.time_to_first_token_ms ?? 0
    assert.ok(firstMs >= 55, `the first token is said to have come after ${firstMs} ms`)
    // Of the 1,350 ms in between a busy machine may have told the first late.
    assert.ok(record.latency_ms >= firstMs + 100, `the whole is said to have taken ${record.latency_ms} ms`)
    const speed = record.tokens_per_second ?? 0
    assert.ok(speed > 0 && speed < 100, `the speed is said to be ${speed} tokens a second`)
  },
})
