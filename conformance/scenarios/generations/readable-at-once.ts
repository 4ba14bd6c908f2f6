import assert from 'node:assert/strict'
import { expectChat, expectRecord } from '../../engine/expect.ts'
import { textOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { readStream } from '../../engine/stream.ts'

export default define({
  id: 'generations/readable-at-once',
  rules: ['GEN-22', 'CRED-32', 'CRED-34'],
  title: 'The record can be read the moment the end of an answer has been seen, and the debit stands',
  needs: ['workspace', 'ledger'],
  async run(context) {
    for (let turn = 0; turn < 4; turn++) {
      const whole = expectChat(await context.chat())
      assert.equal(expectRecord(await context.record(whole.id)).cost_micros, whole.usage.cost_micros)
      const call = await context.stream({ stream_options: { include_usage: true } })
      assert.ok(await call.until((soFar) => textOf(soFar).includes('data: [DONE]')), 'the stream did not end')
      const { chunks, usage } = readStream(call.exchange)
      const record = expectRecord(await context.record(chunks[0]?.id ?? ''))
      assert.deepEqual([record.status, record.cost_micros], ['ok', usage?.cost_micros])
      const { entries } = await context.books()
      assert.equal(entries.at(-1)?.reference, record.id)
    }
  },
})
