import assert from 'node:assert/strict'
import { expectChat, recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'generations/fields',
  rules: ['GEN-04', 'GEN-05'],
  title: 'A record holds tokens, cost, model, endpoint, timings, digest and its status',
  needs: ['generation'],
  async run(context) {
    const { id, usage } = expectChat(await context.chat())
    const record = recordIn(await context.record(id))
    const values = Object.values(record)
    for (const count of [usage.prompt_tokens, usage.completion_tokens, usage.cost_micros]) {
      assert.ok(values.includes(count), `the record does not hold ${count}`)
    }
    for (const text of [context.model(), usage.endpoint]) {
      assert.ok(values.includes(text), `the record does not hold ${text}`)
    }
    assert.equal(record.evidence_digest, usage.evidence_digest)
    assert.ok(record.status === 'ok' || record.status === 'aborted')
  },
})
