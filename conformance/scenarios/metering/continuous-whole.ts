import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'metering/continuous-whole',
  rules: ['RLAY-03'],
  title: 'A stream with usage on every chunk of the backend shows it once, and only to whoever asked',
  needs: ['generation', 'backendScript', 'model:continuous'],
  async run(context) {
    await context.script({ chunks: 5, promptTokens: 10, completionTokens: 5 })
    const model = context.model('continuous')
    const unasked = expectStream(await context.chat({ model, stream: true }))
    for (const { usage } of unasked.chunks)
      assert.ok(usage === undefined || usage === null, 'usage was shown')
    const asked = expectStream(
      await context.chat({ model, stream: true, stream_options: { include_usage: true } }),
    )
    assert.equal(asked.chunks.filter(({ usage }) => usage).length, 1)
    assert.equal(asked.usage?.completion_tokens, 5)
  },
})
