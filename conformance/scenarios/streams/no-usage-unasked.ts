import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/no-usage-unasked',
  rules: ['STRM-09'],
  title: 'A client that did not ask for usage sees none',
  needs: ['generation'],
  async run(context) {
    for (const wish of [
      {},
      { stream_options: { include_usage: false } },
      { stream_options: null },
      { stream_options: {} },
    ]) {
      const { chunks } = expectStream(await context.chat({ stream: true, ...wish }))
      for (const { usage, choices } of chunks) {
        assert.ok(usage === undefined || usage === null, `usage was shown for ${JSON.stringify(wish)}`)
        assert.equal(choices.length, 1, `a chunk without choices was sent for ${JSON.stringify(wish)}`)
      }
    }
  },
})
