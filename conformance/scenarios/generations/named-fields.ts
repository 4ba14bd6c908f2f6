import assert from 'node:assert/strict'
import { expectChat, expectRecord, expectSubset } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'generations/named-fields',
  rules: ['GEN-19', 'GEN-20', 'GEN-21', 'MET-11', 'WSP-09', 'WSP-07'],
  title: 'A record is wrapped as data and has every member by its name',
  needs: ['generation'],
  async run(context) {
    const { id, usage } = expectChat(await context.chat())
    const record = expectRecord(await context.record(id))
    expectSubset(
      record,
      {
        id,
        model: context.model(),
        operation: 'chat',
        streamed: false,
        status: 'ok',
        finish_reason: 'stop',
        usage_source: 'backend',
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: usage.completion_tokens,
        total_tokens: usage.total_tokens,
        cost_micros: usage.cost_micros,
        ledger: { amount_micros: -usage.cost_micros },
      },
      'the record',
    )
    assert.match(record.ledger.id, /^led_[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.ok(record.latency_ms > 0)
    assert.ok(Math.abs(Date.parse(record.created_at) - Date.now()) < 60_000, 'created_at is not now')
  },
})
