import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'metering/formula',
  rules: ['MET-01', 'MET-02'],
  title: 'The debit is the tokens of prompt and completion at their prices per million',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1, promptTokens: 1_000, completionTokens: 3_000 })
    const { usage } = expectChat(await context.chat())
    const [generation] = (await context.books()).generations
    assert.ok(generation, 'there is no record')
    const { prompt_price_micros: prompt, completion_price_micros: completion } = generation
    assert.equal(usage.cost_micros, Math.ceil((1_000 * prompt + 3_000 * completion) / 1_000_000))
    assert.equal((await context.books()).entries.at(-1)?.amount_micros, -usage.cost_micros)
  },
})
