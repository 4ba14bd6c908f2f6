import assert from 'node:assert/strict'
import { holdFor, priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/hold-with-large-cap',
  rules: ['CRED-08'],
  title: 'A cap beyond the context is held as the context length',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 1 } })
    const prices = await priceOf(context)
    const call = await context.stream({ max_tokens: 2_000_000_000 })
    await context.eventually('the backend is called', async () => (await context.received()).length > 0)
    const { holds } = await context.books()
    const bodyBytes = call.exchange.sent.body.length
    const { templateTokens } = context.target.limits
    const outputCap = prices.contextLength
    assert.equal(holds[0]?.amount_micros, holdFor(prices, { bodyBytes, outputCap, templateTokens }))
    call.abort()
  },
})
