import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectTextStream } from '../../engine/texts.ts'

export default define({
  id: 'completions/stream',
  rules: ['EP-10'],
  title: 'A text completion streams by the rules of chat: chunks, one of usage if asked for, [DONE]',
  needs: ['generation', 'model:completions'],
  async run(context) {
    const ask = (body: object = {}) =>
      context.request('createCompletion', { body: { stream: true, ...body } })
    const plain = expectTextStream(await ask())
    assert.notEqual(plain.text, '', 'the stream has no text')
    assert.equal(plain.usage, undefined, 'usage came though it was not asked for')
    assert.ok(
      plain.chunks.every(({ choices, usage }) => choices.length === 1 && !usage),
      'a chunk of usage was left in',
    )
    const asked = expectTextStream(await ask({ stream_options: { include_usage: true } }))
    const [last, ...others] = asked.chunks.toReversed()
    assert.deepEqual(last?.choices, [], 'the last chunk has choices')
    assert.ok(Number.isInteger(last?.usage?.cost_micros), 'the last chunk tells no usage')
    assert.ok(
      others.length > 0 && others.every(({ usage }) => !usage),
      'usage stands in another chunk as well',
    )
  },
})
