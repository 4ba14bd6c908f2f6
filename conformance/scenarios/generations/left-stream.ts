import assert from 'node:assert/strict'
import { abortAfter } from '../../engine/aborted.ts'
import { generationIdOf, recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts } from '../../engine/stream.ts'

export default define({
  id: 'generations/left-stream',
  rules: ['GEN-11'],
  title: 'A client that leaves a stream before [DONE] makes the generation aborted',
  needs: ['generation', 'backendScript'],
  // How often the record is asked for before it is there is chance.
  isCompared: false,
  async run(context) {
    await context.script({ chunks: 400, betweenChunksMs: 20 })
    const seen = await abortAfter(await context.stream(), (soFar) => countTexts(soFar) >= 3)
    const id = generationIdOf(seen)
    const status = await context.eventually('the record', async () => {
      const exchange = await context.record(id)
      return exchange.status === 200 && recordIn(exchange).status
    })
    assert.equal(status, 'aborted')
  },
})
