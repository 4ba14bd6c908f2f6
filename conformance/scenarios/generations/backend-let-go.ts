import assert from 'node:assert/strict'
import { abortAfter } from '../../engine/aborted.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts } from '../../engine/stream.ts'

export default define({
  id: 'generations/backend-let-go',
  rules: ['GEN-24'],
  title: 'The backend of a left stream is let go at once',
  needs: ['generation', 'backendScript'],
  // How far the stream gets before it is left is chance.
  isCompared: false,
  async run(context) {
    await context.script({ chunks: 2_000, betweenChunksMs: 20 })
    await abortAfter(await context.stream(), (soFar) => countTexts(soFar) >= 2)
    const { chunksSent } = await context.eventually('the backend is let go', async () => {
      const [received] = await context.received()
      return received?.outcome === 'client-left' && received
    })
    assert.ok(chunksSent < 500, `the backend had written ${chunksSent} pieces by then`)
  },
})
