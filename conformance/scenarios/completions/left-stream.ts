import assert from 'node:assert/strict'
import { abortAfter, expectAborted } from '../../engine/aborted.ts'
import { costOf } from '../../engine/books.ts'
import { define } from '../../engine/scenario.ts'
import { readTextStream } from '../../engine/texts.ts'

export default define({
  id: 'completions/left-stream',
  rules: ['EP-10', 'GEN-11', 'GEN-12', 'GEN-13'],
  title: 'Whoever leaves a streamed text pays for what was counted until then',
  needs: ['workspace', 'ledger', 'backendScript', 'model:completions'],
  // How far the stream gets before it is left is chance.
  isCompared: false,
  async run(context) {
    await context.script({ chunks: 400, betweenChunksMs: 20 })
    const call = await context.open('createCompletion', { body: { stream: true } })
    const seen = await abortAfter(call, (soFar) => readTextStream(soFar).chunks.length >= 5)
    const record = await expectAborted(context, seen)
    assert.ok(record.prompt_tokens > 0, 'the prompt was not counted')
    const { completion_tokens: tokens } = record
    assert.ok(tokens > 0 && tokens < 200, `${tokens} tokens were counted of a stream left after 5`)
    assert.equal((await context.books()).entries.at(-1)?.amount_micros, -costOf(record))
  },
})
