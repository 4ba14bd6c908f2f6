import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/usage-shapes-metered',
  rules: ['MET-05', 'CHAT-04'],
  title: 'Wherever a backend puts its usage, the record has the same counts',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    for (const usage of shapes) {
      await context.script({ chunks: 5, usage, promptTokens: 12, completionTokens: 34 })
      expectStream(await context.chat({ stream: true }))
    }
    const { generations } = await context.books()
    assert.equal(generations.length, shapes.length)
    for (const [index, generation] of generations.entries()) {
      const { prompt_tokens, completion_tokens, status } = generation
      assert.deepEqual([status, prompt_tokens, completion_tokens], ['ok', 12, 34], shapes[index])
    }
  },
})

const shapes = ['final', 'with-choices', 'merged', 'first', 'every', 'separate-write', 'null-until-end']
