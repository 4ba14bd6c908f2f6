import assert from 'node:assert/strict'
import { expectChat, expectSubset } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'chat/usage-exact',
  rules: ['CHAT-04'],
  title: 'usage is exact: it is what the model itself counted, whole or streamed',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 7, promptTokens: 1_012, completionTokens: 567 })
    const counts = { prompt_tokens: 1_012, completion_tokens: 567, total_tokens: 1_579 }
    expectSubset(expectChat(await context.chat()).usage, counts, 'usage')
    const { usage } = expectStream(
      await context.chat({ stream: true, stream_options: { include_usage: true } }),
    )
    expectSubset(usage, counts, 'usage of a stream')
    const { generations } = await context.books()
    for (const generation of generations) {
      expectSubset(generation, { prompt_tokens: 1_012, completion_tokens: 567 }, 'the record')
    }
    assert.equal(generations.length, 2)
  },
})
