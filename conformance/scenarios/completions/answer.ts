import assert from 'node:assert/strict'
import { expectStatus, generationIdOf, recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectCompletion, expectTextStream } from '../../engine/texts.ts'

export default define({
  id: 'completions/answer',
  rules: ['CHAT-17'],
  title: 'A text completion is answered as a chat is: generation id, model, text_completion, extended usage',
  needs: ['workspace', 'ledger', 'model:completions', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 4, promptTokens: 11 })
    const exchange = await context.request('createCompletion')
    const { id, object, model, choices, usage } = expectCompletion(exchange)
    assert.equal(object, 'text_completion')
    assert.equal(id, generationIdOf(exchange))
    assert.equal(model, context.model('completions'))
    assert.equal(choices[0]?.text, 'word1 word2 word3 word4')
    assert.deepEqual([usage.prompt_tokens, usage.completion_tokens, usage.total_tokens], [11, 4, 15])

    const record = await context.record(id)
    expectStatus(record, 200)
    const { operation, status, cost_micros: cost, endpoint } = recordIn(record)
    assert.deepEqual(
      [operation, status, cost, endpoint],
      ['completions', 'ok', usage.cost_micros, usage.endpoint],
    )
    const rows = (await context.books()).entries.filter(({ reference }) => reference === id)
    assert.deepEqual(
      rows.map(({ amount_micros }) => amount_micros),
      [-usage.cost_micros],
    )

    const body = { stream: true, stream_options: { include_usage: true } }
    const streamed = await context.request('createCompletion', { body })
    const { chunks, text, usage: last } = expectTextStream(streamed)
    for (const chunk of chunks) {
      assert.deepEqual([chunk.object, chunk.id], ['text_completion', generationIdOf(streamed)])
      assert.equal(chunk.model, model)
    }
    assert.equal(text, choices[0]?.text)
    assert.deepEqual([last?.prompt_tokens, last?.completion_tokens, last?.endpoint], [11, 4, usage.endpoint])
    assert.equal(last?.cost_micros, usage.cost_micros)
  },
})
