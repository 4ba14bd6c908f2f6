import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'metering/stream-options-kept',
  rules: ['RLAY-02'],
  title: "The client's own stream options are merged with that wish and stay",
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 2 })
    expectStream(
      await context.chat({ stream: true, stream_options: { include_usage: false, other: { kept: 1 } } }),
    )
    const [received] = await context.received()
    assert.ok(received, 'nothing reached the backend')
    assert.deepEqual(JSON.parse(received.body).stream_options, { include_usage: true, other: { kept: 1 } })
  },
})
