import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'endpoints/openai-api',
  rules: ['SRV-19'],
  title: 'A client of OpenAI is served and pays from credit paid before',
  needs: ['workspace', 'ledger'],
  async run(context) {
    await context.own({ balanceMicros: 1_000 })
    const { usage } = expectChat(await context.chat())
    const { balance_micros: balance } = await context.books()
    assert.ok(usage.cost_micros > 0, 'it cost nothing')
    assert.equal(balance, 1_000 - usage.cost_micros)
  },
})
