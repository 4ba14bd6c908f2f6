import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/usage-shapes',
  rules: ['STRM-03', 'STRM-09', 'CHAT-04'],
  title: 'Wherever a backend puts its usage, the client sees one usage chunk if it asked and none if not',
  needs: ['generation', 'backendScript'],
  async run(context) {
    for (const usage of shapes) {
      await context.script({ chunks: 5, usage, promptTokens: 12, completionTokens: 34 })
      const asked = expectStream(
        await context.chat({ stream: true, stream_options: { include_usage: true } }),
      )
      const counted = asked.chunks.filter((chunk) => chunk.usage)
      assert.equal(
        counted.length,
        1,
        `${counted.length} chunks tell the usage where the backend's is ${usage}`,
      )
      assert.deepEqual(
        counted[0]?.choices,
        [],
        `the usage chunk has choices where the backend's usage is ${usage}`,
      )
      assert.deepEqual([asked.usage?.prompt_tokens, asked.usage?.completion_tokens], [12, 34], usage)
      const unasked = expectStream(await context.chat({ stream: true }))
      assert.ok(
        unasked.chunks.every((chunk) => !chunk.usage && chunk.choices.length === 1),
        `usage is shown unasked where the backend's is ${usage}`,
      )
      assert.equal(unasked.text, asked.text, usage)
    }
  },
})

const shapes = ['final', 'with-choices', 'merged', 'first', 'every', 'separate-write', 'null-until-end']
