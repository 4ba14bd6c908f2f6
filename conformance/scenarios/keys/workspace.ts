import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/workspace',
  rules: ['WSP-01', 'SRV-12', 'WSP-02', 'CRED-01'],
  title: 'Two keys of a workspace spend one balance',
  needs: ['workspace', 'ledger'],
  async run(context) {
    const first = await context.own({ balanceMicros: 1_000_000 })
    const second = await context.accounts.addKey(first)
    const costs = []
    for (const account of [first, second]) {
      costs.push(expectChat(await context.chat({}, { account })).usage.cost_micros)
    }
    const { balance_micros: balance, keys } = await context.books()
    assert.equal(balance, 1_000_000 - costs[0]! - costs[1]!)
    assert.deepEqual(
      keys.map(({ spent_micros }) => spent_micros),
      costs,
    )
  },
})
