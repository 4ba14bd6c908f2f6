import assert from 'node:assert/strict'
import { holdFor, priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/hold-small-model',
  rules: ['CRED-10', 'CRED-11'],
  title:
    'Where prompt and largest output do not fit the context no cap is sent, and the context length is held',
  needs: ['workspace', 'ledger', 'backendScript', 'model:small'],
  async run(context) {
    await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 1 } })
    const prices = await priceOf(context, 'small')
    const call = await context.stream({ model: context.model('small') })
    await context.eventually('the backend is called', async () => (await context.received()).length > 0)
    const { holds } = await context.books()
    const [received] = await context.received()
    const { max_tokens: cap, max_completion_tokens: other } = JSON.parse(received?.body ?? '{}')
    assert.deepEqual([cap, other], [undefined, undefined], 'a cap was sent')
    const bodyBytes = call.exchange.sent.body.length
    const { templateTokens } = context.target.limits
    const outputCap = prices.contextLength
    assert.equal(holds[0]?.amount_micros, holdFor(prices, { bodyBytes, outputCap, templateTokens }))
    call.abort()
  },
})
