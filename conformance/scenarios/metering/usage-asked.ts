import assert from 'node:assert/strict'
import { expectSubset } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'metering/usage-asked',
  rules: ['MET-05', 'RLAY-01'],
  title: 'The router asks the backend for the usage of every stream',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 2 })
    for (const wish of [
      {},
      { stream_options: { include_usage: false } },
      { stream_options: { include_usage: true } },
    ]) {
      expectStream(await context.chat({ stream: true, ...wish }))
    }
    const received = await context.received()
    assert.equal(received.length, 3)
    for (const { body } of received) {
      expectSubset(
        JSON.parse(body),
        { stream: true, stream_options: { include_usage: true } },
        'what was sent',
      )
    }
  },
})
