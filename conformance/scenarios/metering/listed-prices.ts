import assert from 'node:assert/strict'
import { expectChat, expectStatus } from '../../engine/expect.ts'
import { isObject, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

/** As many as the prompt and the answer of a small request can have. */
const TOKENS = 1_000

export default define({
  id: 'metering/listed-prices',
  rules: ['MET-02', 'MODL-03'],
  title: 'What is debited follows from the prices that the list of models tells',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1, promptTokens: TOKENS, completionTokens: 0 })
    const prompt = expectChat(await context.chat()).usage.cost_micros
    await context.script({ chunks: 1, promptTokens: 0, completionTokens: TOKENS })
    const completion = expectChat(await context.chat()).usage.cost_micros
    const entry = await context.request('getModel', { params: { id: context.model() } })
    expectStatus(entry, 200)
    const { pricing } = objectOf(entry)
    const prices = isObject(pricing) ? Object.values(pricing) : []
    const listed = prices.map((price) => Math.ceil((TOKENS * Number(price)) / 1_000_000))
    assert.ok(
      listed.includes(prompt),
      `${TOKENS} prompt tokens cost ${prompt}, which follows from no listed price`,
    )
    assert.ok(
      listed.includes(completion),
      `${TOKENS} completion tokens cost ${completion}, which follows from no listed price`,
    )
  },
})
