import assert from 'node:assert/strict'
import { expectChat, expectRecord, expectSubset } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/ledger-row',
  rules: ['WSP-11', 'WSP-12', 'WSP-13', 'WSP-09'],
  title: 'The row of a generation has its members, its kind, and the key that no second row can have',
  needs: ['workspace', 'ledger'],
  async run(context) {
    const { id, usage } = expectChat(await context.chat())
    const { entries, balance_micros: balance } = await context.books()
    const row = entries.at(-1)
    expectSubset(
      row,
      {
        kind: 'generation',
        amount_micros: -usage.cost_micros,
        balance_after_micros: balance,
        reference: id,
        idempotency_key: `generation:${id}`,
      },
      'the row',
    )
    assert.match(row?.id ?? '', /^led_[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.equal(typeof row?.description, 'string')
    assert.ok(Math.abs(Date.parse(row?.created_at ?? '') - Date.now()) < 60_000)
    const record = expectRecord(await context.record(id))
    assert.deepEqual(record.ledger, { id: row?.id, amount_micros: -usage.cost_micros })
  },
})
