import assert from 'node:assert/strict'
import { costMicros } from '../../engine/books.ts'
import { priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/hold-with-image',
  rules: ['CRED-07'],
  title: 'A part that is no text makes the prompt count as the whole context',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 1 } })
    const prices = await priceOf(context)
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
    const messages = [{ role: 'user', content: [{ type: 'text', text: context.prompt }, image] }]
    const call = await context.stream({ messages, max_tokens: 10 })
    await context.eventually('the backend is called', async () => (await context.received()).length > 0)
    const { holds } = await context.books()
    const promptTokens = prices.contextLength
    assert.equal(holds[0]?.amount_micros, costMicros({ promptTokens, completionTokens: 10 }, prices))
    call.abort()
  },
})
