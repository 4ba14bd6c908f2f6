import assert from 'node:assert/strict'
import { abortAfter, expectAborted } from '../../engine/aborted.ts'
import { costOf } from '../../engine/books.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts } from '../../engine/stream.ts'

export default define({
  id: 'generations/left-stream-counted',
  rules: ['GEN-03', 'GEN-12', 'GEN-13'],
  title: 'The record of a left stream holds the tokens counted until then, and they are debited',
  needs: ['workspace', 'ledger', 'backendScript'],
  // How far the stream gets before it is left is chance.
  isCompared: false,
  async run(context) {
    await context.script({ chunks: 400, betweenChunksMs: 20 })
    const seen = await abortAfter(await context.stream(), (soFar) => countTexts(soFar) >= 5)
    const record = await expectAborted(context, seen)
    assert.ok(record.completion_tokens >= 5, `only ${record.completion_tokens} of 5 tokens were counted`)
    assert.ok(
      record.completion_tokens < 200,
      `${record.completion_tokens} tokens were counted of a stream left after 5`,
    )
    assert.ok(record.prompt_tokens > 0, 'the prompt was not counted')
    assert.equal(record.cost_micros, costOf(record))
    const { entries } = await context.books()
    assert.equal(entries.at(-1)?.amount_micros, -record.cost_micros)
  },
})
