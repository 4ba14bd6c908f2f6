import assert from 'node:assert/strict'
import { costOf } from '../../engine/books.ts'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'metering/bounded',
  rules: ['MET-15', 'MET-11'],
  title: 'Usage beyond what a request could use is billed, shown and recorded as what it could use',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    const body = { max_tokens: 5 }
    const asked = { stream: true, stream_options: { include_usage: true } }
    for (const completionTokens of [6, 999_999_999]) {
      await context.script({ chunks: 1, promptTokens: 12, completionTokens })
      for (const usage of [
        expectChat(await context.chat(body)).usage,
        expectStream(await context.chat({ ...body, ...asked })).usage,
      ]) {
        assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [12, 5, 17])
      }
    }
    const { generations, entries } = await context.books()
    assert.equal(generations.length, 4)
    for (const record of generations) {
      assert.deepEqual([record.usage_source, record.completion_tokens], ['bounded', 5])
      assert.equal(record.cost_micros, costOf(record))
      assert.ok(
        entries.some(
          ({ reference, amount_micros }) => reference === record.id && amount_micros === -record.cost_micros,
        ),
      )
    }
  },
})
