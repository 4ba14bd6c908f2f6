import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'generations/left-answer',
  rules: ['GEN-24'],
  title:
    'A client that leaves a request without a stream cancels the backend: aborted, the prompt counted, no completion',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 5, beforeHeadersMs: 5_000 })
    const call = await context.open('createChatCompletion')
    await context.eventually(
      'the request reaches the backend',
      async () => (await context.received()).length > 0,
    )
    call.abort()
    await context.eventually(
      'the backend is let go',
      async () => (await context.received()).at(-1)?.outcome === 'client-left',
    )
    const generation = await context.eventually(
      'the record',
      async () => (await context.books()).generations[0],
    )
    assert.equal(generation.status, 'aborted')
    assert.ok(generation.prompt_tokens > 0, 'the prompt was not counted')
    assert.equal(generation.completion_tokens, 0)
  },
})
