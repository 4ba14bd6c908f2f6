import assert from 'node:assert/strict'
import { expectChat, expectModel, recordIn } from '../../engine/expect.ts'
import { priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'metering/frozen-prices',
  rules: ['MET-07'],
  title: 'A generation keeps the prices that were in force, whatever its model costs elsewhere or later',
  needs: ['workspace', 'ledger', 'backendScript', 'sibling'],
  subjects: ['router'],
  isExclusive: true,
  async run(context) {
    const baseUrl = context.target.siblingUrl
    const prices = await priceOf(context)
    const id = { params: { id: context.model() } }
    const elsewhere = expectModel(await context.request('getModel', { ...id, baseUrl })).pricing
    assert.notEqual(elsewhere.prompt_per_1m_micros, prices.promptMicros, 'both routers list the same price')
    await context.script({ chunks: 7, promptTokens: 1_001, completionTokens: 7 })
    const own = expectChat(await context.chat())
    const siblings = expectChat(await context.chat({}, { baseUrl }))
    const { generations } = await context.books()
    const pricesOf = (wanted: string) => {
      const found = generations.find((generation) => generation.id === wanted)
      return [found?.prompt_price_micros, found?.completion_price_micros]
    }
    assert.deepEqual(pricesOf(own.id), [prices.promptMicros, prices.completionMicros])
    assert.deepEqual(pricesOf(siblings.id), [
      elsewhere.prompt_per_1m_micros,
      elsewhere.completion_per_1m_micros,
    ])
    const read = await context.request('getGeneration', { query: { id: own.id }, baseUrl })
    assert.equal(recordIn(read).cost_micros, own.usage.cost_micros)
  },
})
