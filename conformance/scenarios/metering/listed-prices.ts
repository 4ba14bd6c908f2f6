import assert from 'node:assert/strict'
import { expectChat, expectStatus } from '../../engine/expect.ts'
import { isObject, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'metering/listed-prices',
  rules: ['MET-02', 'MODL-03'],
  title: 'What is debited follows from the prices that the list of models tells',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1, promptTokens: 1_000_000, completionTokens: 0 })
    const prompt = expectChat(await context.chat()).usage.cost_micros
    await context.script({ chunks: 1, promptTokens: 0, completionTokens: 1_000_000 })
    const completion = expectChat(await context.chat()).usage.cost_micros
    const entry = await context.request('getModel', { params: { id: context.model() } })
    expectStatus(entry, 200)
    const { pricing } = objectOf(entry)
    const listed = isObject(pricing) ? Object.values(pricing) : []
    assert.ok(listed.includes(prompt), `a million prompt tokens cost ${prompt}, which is no listed price`)
    assert.ok(
      listed.includes(completion),
      `a million completion tokens cost ${completion}, which is no listed price`,
    )
  },
})
