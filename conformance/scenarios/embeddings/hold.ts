import assert from 'node:assert/strict'
import { costMicros } from '../../engine/books.ts'
import { expectStatus } from '../../engine/expect.ts'
import { priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'embeddings/hold',
  rules: ['CRED-07'],
  title: 'Embeddings hold the sum of what each input can be at most, and nothing for an answer',
  needs: ['workspace', 'ledger', 'feature:embeddings', 'model:embeddings', 'backendScript'],
  async run(context) {
    const { contextLength, ...prices } = await priceOf(context, 'embeddings')
    const { templateTokens } = context.target.limits
    await context.script({ beforeHeadersMs: 60_000 })
    // The last one is longer than the window, which it can fill but not exceed.
    const input = [context.prompt, 'short', 'x'.repeat(contextLength + 1)]
    const promptTokens = input
      .map((text) => Math.min(contextLength, Buffer.byteLength(text) + templateTokens))
      .reduce((sum, tokens) => sum + tokens)
    const call = await context.open('createEmbedding', { body: { input } })
    const [hold] = await context.eventually('a hold', async () => {
      const { holds } = await context.books()
      return holds.length > 0 && holds
    })
    assert.equal(hold?.amount_micros, costMicros({ promptTokens, completionTokens: 0 }, prices))
    call.abort()
    await context.eventually('the hold ends', async () => (await context.books()).holds.length === 0)
    expectStatus(await context.request('listModels'), 200)
  },
})
