import assert from 'node:assert/strict'
import { expectChat, expectSubset } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'metering/zeros',
  rules: ['MET-12', 'WSP-15'],
  title: 'Zeros that a backend reports are taken at its word, and the debit of zero is written',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 5, usage: 'zero' })
    const { usage } = expectChat(await context.chat())
    expectStream(await context.chat({ stream: true }))
    expectSubset(usage, { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_micros: 0 }, 'usage')
    const { generations, entries } = await context.books()
    for (const generation of generations) {
      const zeros = {
        prompt_tokens: 0,
        completion_tokens: 0,
        cost_micros: 0,
        usage_source: 'backend',
        status: 'ok',
      }
      expectSubset(generation, zeros, 'the record')
    }
    assert.deepEqual(
      entries.filter(({ kind }) => kind === 'generation').map(({ amount_micros }) => amount_micros),
      [0, 0],
    )
  },
})
