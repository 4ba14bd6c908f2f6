import assert from 'node:assert/strict'
import { abortAfter } from '../../engine/aborted.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts } from '../../engine/stream.ts'

export default define({
  id: 'credit/no-hold-left',
  rules: ['CRED-28', 'CRED-31', 'CRED-27'],
  title: 'After any outcome no hold is left, and the key has spent what its generations cost',
  needs: ['workspace', 'ledger', 'backendScript'],
  // How far the last stream gets before it is left is chance.
  isCompared: false,
  async run(context) {
    const scripts = [
      { chunks: 2 },
      { status: 500 },
      { status: 400 },
      { chunks: 5, fault: { kind: 'cut', afterChunks: 2 } },
      { chunks: 5, fault: { kind: 'error', afterChunks: 2 } },
      { fault: { kind: 'refuse' } },
    ]
    for (const script of scripts) {
      await context.script(script)
      await Promise.all([context.chat(), context.chat({ stream: true })])
    }
    await context.script({ chunks: 400, betweenChunksMs: 20 })
    await abortAfter(await context.stream(), (soFar) => countTexts(soFar) >= 2)
    await context.eventually('no hold is left', async () => (await context.books()).holds.length === 0)
    const { keys, generations } = await context.books()
    assert.equal(generations.length, scripts.length * 2 + 1)
    assert.equal(
      keys[0]?.spent_micros,
      generations.reduce((sum, { cost_micros }) => sum + cost_micros, 0),
    )
  },
})
