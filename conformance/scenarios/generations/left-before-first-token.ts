import assert from 'node:assert/strict'
import { abortAfter, expectAborted } from '../../engine/aborted.ts'
import { define } from '../../engine/scenario.ts'
import { countPings } from '../../engine/stream.ts'

export default define({
  id: 'generations/left-before-first-token',
  rules: ['GEN-03', 'GEN-11'],
  title: 'A stream left before its first token is one aborted record without completion tokens',
  needs: ['workspace', 'ledger', 'backendScript'],
  waitsMs: ({ pingMs }) => pingMs * 2,
  async run(context) {
    const { pingMs } = context.target.limits
    await context.script({ chunks: 5, beforeFirstChunkMs: pingMs * 8 })
    const seen = await abortAfter(await context.stream(), (soFar) => countPings(soFar) >= 1)
    const record = await expectAborted(context, seen)
    assert.equal(record.completion_tokens, 0)
    await context.eventually(
      'the backend is let go',
      async () => (await context.received()).at(-1)?.outcome === 'client-left',
    )
    assert.equal((await context.books()).generations.length, 1)
  },
})
