import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectFailedTextStream } from '../../engine/texts.ts'

export default define({
  id: 'completions/failed-stream',
  rules: ['EP-10', 'ERR-36'],
  title: 'A streamed text that fails ends with an error event and [DONE]',
  needs: ['generation', 'backendScript', 'model:completions'],
  async run(context) {
    await context.script({ chunks: 8, fault: { kind: 'cut', afterChunks: 3 } })
    const exchange = await context.request('createCompletion', { body: { stream: true } })
    const { error, text } = expectFailedTextStream(exchange)
    assert.equal(error.type, 'upstream_error')
    assert.equal(text, 'word1 word2 word3')
  },
})
