import assert from 'node:assert/strict'
import type { OperationId } from '#contract/routes'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/tokenizer',
  rules: ['REQ-38'],
  title: 'Where a tokenizer is configured a prompt that is too long is refused, and never sent to the model',
  needs: ['workspace', 'ledger', 'model:tokenized', 'backendScript'],
  async run(context) {
    const model = context.model('tokenized')
    const { contextLength } = await priceOf(context, 'tokenized')
    const inputs = (text: string): readonly [OperationId, string, object][] => [
      ['createChatCompletion', 'messages', { messages: [{ role: 'user', content: text }] }],
      ['createCompletion', 'prompt', { prompt: text }],
      ['createEmbedding', 'input', { input: ['short', text] }],
    ]
    const atModel = async () => (await context.received()).filter(({ path }) => path.startsWith('/v1/'))
    await context.script({ chunks: 2 })
    for (const [operation, param, body] of inputs(`${context.prompt} ${'word '.repeat(contextLength)}`)) {
      const exchange = await context.request(operation, { body: { model, ...body } })
      expectError(exchange, 'context_length_exceeded', { param })
    }
    assert.deepEqual(await atModel(), [], 'a prompt that is too long was sent')
    assert.deepEqual((await context.books()).generations, [], 'a refused request left a generation')
    // As many bytes, but one token only by the tokenizer's measure.
    for (const [operation, , body] of inputs(`${context.prompt} ${'x'.repeat(contextLength)}`))
      expectStatus(await context.request(operation, { body: { model, max_tokens: 9, ...body } }), 200)
    assert.equal((await atModel()).length, 3)
  },
})
