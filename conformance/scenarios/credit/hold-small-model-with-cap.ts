import assert from 'node:assert/strict'
import { holdFor, priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/hold-small-model-with-cap',
  rules: ['CRED-11'],
  title: "The prompt never lowers the client's cap",
  needs: ['workspace', 'ledger', 'backendScript', 'model:small'],
  async run(context) {
    await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 1 } })
    const prices = await priceOf(context, 'small')
    const call = await context.stream({ model: context.model('small'), max_tokens: 4_096 })
    await context.eventually('the backend is called', async () => (await context.received()).length > 0)
    const { holds } = await context.books()
    const [received] = await context.received()
    assert.equal(JSON.parse(received?.body ?? '{}').max_tokens, 4_096, 'the cap was changed')
    const bodyBytes = call.exchange.sent.body.length
    const { templateTokens } = context.target.limits
    assert.equal(holds[0]?.amount_micros, holdFor(prices, { bodyBytes, outputCap: 4_096, templateTokens }))
    call.abort()
  },
})
