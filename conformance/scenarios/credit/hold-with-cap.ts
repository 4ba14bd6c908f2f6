import assert from 'node:assert/strict'
import { holdFor, priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/hold-with-cap',
  rules: ['CRED-08', 'CRED-05'],
  title: "The client's own cap is what is held for the output",
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 1 } })
    const prices = await priceOf(context)
    const body = { max_tokens: 1_000 }
    const call = await context.stream(body)
    await context.eventually('the backend is called', async () => (await context.received()).length > 0)
    const { holds } = await context.books()
    const [received] = await context.received()
    assert.equal(JSON.parse(received?.body ?? '{}').max_tokens, 1_000)
    const bodyBytes = call.exchange.sent.body.length
    const { templateTokens } = context.target.limits
    assert.equal(holds[0]?.amount_micros, holdFor(prices, { bodyBytes, outputCap: 1_000, templateTokens }))
    call.abort()
  },
})
