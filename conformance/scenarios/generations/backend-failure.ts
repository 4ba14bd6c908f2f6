import assert from 'node:assert/strict'
import { expectAborted } from '../../engine/aborted.ts'
import { expectError, expectSubset } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'generations/backend-failure',
  rules: ['GEN-18', 'HDR-10'],
  title: 'A backend that fails before any token leaves an aborted record of zero tokens, and a debit of zero',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    for (const stream of [false, true]) {
      await context.script({ status: 500 })
      const exchange = await context.chat({ stream })
      expectError(exchange, 'backend_unavailable')
      const record = await expectAborted(context, exchange)
      expectSubset(record, { prompt_tokens: 0, completion_tokens: 0, cost_micros: 0 }, 'the record')
    }
    const { entries } = await context.books()
    const debits = entries.filter(({ kind }) => kind === 'generation')
    assert.deepEqual(
      debits.map(({ amount_micros }) => amount_micros),
      [0, 0],
    )
  },
})
