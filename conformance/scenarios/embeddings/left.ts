import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'embeddings/left',
  rules: ['GEN-24'],
  title: 'Whoever leaves before the vectors come has an aborted generation, and the backend is let go',
  needs: ['workspace', 'ledger', 'feature:embeddings', 'model:embeddings', 'backendScript'],
  async run(context) {
    await context.script({ beforeHeadersMs: 60_000 })
    const call = await context.open('createEmbedding')
    await context.eventually('the request at the backend', async () => (await context.received()).length > 0)
    call.abort()
    const [record] = await context.eventually('the record of what was left', async () => {
      const { generations } = await context.books()
      return generations.length > 0 && generations
    })
    assert.equal(record?.status, 'aborted')
    assert.equal(record?.completion_tokens, 0)
    await context.eventually('the backend is let go', async () => {
      const [request] = await context.received()
      return request?.outcome === 'client-left'
    })
  },
})
