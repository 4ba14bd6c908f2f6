import assert from 'node:assert/strict'
import { costMicros } from '../../engine/books.ts'
import { expectChat } from '../../engine/expect.ts'
import { priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'metering/one-rounding',
  rules: ['MET-06'],
  title: 'Prompt and completion are summed before the one rounding',
  needs: ['generation', 'backendScript'],
  async run(context) {
    const prices = await priceOf(context)
    await context.script({ chunks: 1, promptTokens: 1, completionTokens: 1 })
    const { usage } = expectChat(await context.chat())
    const together = costMicros({ promptTokens: 1, completionTokens: 1 }, prices)
    const apart =
      costMicros({ promptTokens: 1, completionTokens: 0 }, prices) +
      costMicros({ promptTokens: 0, completionTokens: 1 }, prices)
    assert.notEqual(together, apart, 'the prices of this model cannot show it')
    assert.equal(usage.cost_micros, together)
  },
})
