import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/usage-chunk',
  rules: ['STRM-03', 'REQ-05', 'EVT-02'],
  title: 'With include_usage one more chunk comes before the end, with usage and without choices',
  needs: ['generation'],
  async run(context) {
    const { chunks } = expectStream(
      await context.chat({ stream: true, stream_options: { include_usage: true } }),
    )
    const [last, ...others] = chunks.toReversed()
    assert.deepEqual(last?.choices, [])
    assert.ok(last?.usage, 'the last chunk has no usage')
    for (const { usage, choices } of others) {
      assert.ok(usage === undefined || usage === null, 'usage stands in another chunk as well')
      assert.equal(choices.length, 1)
    }
  },
})
