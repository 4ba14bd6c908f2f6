import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/balance-is-sum',
  rules: ['WSP-16', 'CRED-27'],
  title: 'The balance is the sum of the ledger at any time, while requests end as well',
  needs: ['workspace', 'ledger'],
  // Which request ends first is chance.
  isCompared: false,
  async run(context) {
    await context.own({ balanceMicros: 1_000_000 })
    const running = Promise.all(
      Array.from({ length: 8 }, (_, index) => context.chat({ stream: index % 2 === 0 })),
    )
    for (let look = 0; look < 5; look++) {
      const { balance_micros: balance, entries } = await context.books()
      const sum = entries.reduce((total, { amount_micros }) => total + amount_micros, 0)
      assert.equal(balance, sum)
    }
    for (const { status } of await running) assert.equal(status, 200)
    const { balance_micros: balance, entries } = await context.books()
    assert.equal(entries.length, 9)
    assert.equal(entries.at(-1)?.balance_after_micros, balance)
  },
})
