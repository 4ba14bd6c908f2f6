import assert from 'node:assert/strict'
import { costOf } from '../../engine/books.ts'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'metering/rounded-up',
  rules: ['MET-03', 'MET-01'],
  title: 'The debit is rounded up to the next micro-dollar',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    for (const [promptTokens, completionTokens] of [
      [12, 34],
      [1, 0],
      [0, 1],
      [7, 13],
      [999_999, 1],
    ]) {
      await context.script({ chunks: 1, promptTokens, completionTokens })
      const { usage } = expectChat(await context.chat())
      const generation = (await context.books()).generations.at(-1)
      assert.ok(generation, 'there is no record')
      assert.equal(usage.cost_micros, costOf(generation), `${promptTokens} + ${completionTokens} tokens`)
      assert.equal(generation.cost_micros, usage.cost_micros)
    }
  },
})
