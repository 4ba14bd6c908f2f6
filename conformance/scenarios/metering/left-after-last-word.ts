import assert from 'node:assert/strict'
import { abortAfter, expectAborted } from '../../engine/aborted.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'metering/left-after-last-word',
  rules: ['MET-14'],
  title:
    'Who leaves a stream when its answer is complete is billed what the backend tells of it within a second',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 3, usage: 'late', promptTokens: 500, completionTokens: 300 })
    const seen = await abortAfter(await context.stream(), ({ body }) => body.toString().includes('"stop"'))
    const {
      usage_source: source,
      prompt_tokens: prompt,
      completion_tokens: completion,
    } = await expectAborted(context, seen)
    assert.deepEqual([source, prompt, completion], ['backend', 500, 300])
  },
})
