import assert from 'node:assert/strict'
import { expectChat, expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/below-zero-by-own-cost',
  rules: ['CRED-02'],
  title: 'One generation can take the balance below zero by its own cost, and the next is refused',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.own({ balanceMicros: 5 })
    await context.script({ chunks: 1, promptTokens: 1_000, completionTokens: 10_000 })
    const { usage } = expectChat(await context.chat())
    assert.equal((await context.books()).balance_micros, 5 - usage.cost_micros)
    expectError(await context.chat(), 'insufficient_credits')
  },
})
