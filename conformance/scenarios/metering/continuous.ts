import assert from 'node:assert/strict'
import { abortAfter, expectAborted } from '../../engine/aborted.ts'
import { expectSubset } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, readStream } from '../../engine/stream.ts'

export default define({
  id: 'metering/continuous',
  rules: ['MET-08', 'RLAY-03'],
  title: 'With usage on every chunk an abort is metered exactly, and the client sees none of it',
  needs: ['workspace', 'ledger', 'backendScript', 'model:continuous'],
  // How far the stream gets before it is left is chance.
  isCompared: false,
  async run(context) {
    await context.script({ chunks: 400, betweenChunksMs: 15, promptTokens: 1_000, completionTokens: 4_000 })
    const call = await context.stream({ model: context.model('continuous') })
    const seen = await abortAfter(call, (soFar) => countTexts(soFar) >= 5)
    for (const { usage } of readStream(seen).chunks)
      assert.ok(usage === undefined || usage === null, 'usage was shown')
    const record = await expectAborted(context, seen)
    assert.deepEqual([record.usage_source, record.prompt_tokens], ['backend', 1_000])
    // Ten tokens a piece, as the backend says, where counting would find one.
    assert.equal(record.completion_tokens % 10, 0)
    assert.ok(
      record.completion_tokens >= 50 && record.completion_tokens < 2_000,
      `${record.completion_tokens} tokens`,
    )
    const [received] = await context.received()
    expectSubset(
      JSON.parse(received?.body ?? '{}').stream_options,
      { continuous_usage_stats: true },
      'stream_options',
    )
  },
})
