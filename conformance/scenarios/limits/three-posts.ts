import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { expectLimited } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/three-posts',
  rules: ['LIM-20'],
  title: 'The three inference POSTs share the buckets, and no other request takes from them or is refused',
  needs: ['workspace', 'feature:rate-limits', 'model:completions', 'feature:embeddings', 'model:embeddings'],
  async run(context) {
    const posts = ['createChatCompletion', 'createCompletion', 'createEmbedding'] as const
    await context.own({ requestsPerMinute: posts.length })
    const ids: string[] = []
    for (const operation of posts) {
      expectStatus(await context.request('listModels'), 200)
      expectStatus(await context.request('getModel', { params: { id: context.model() } }), 200)
      const exchange = await context.request(operation)
      expectStatus(exchange, 200)
      ids.push(exchange.headers['x-router-generation-id'] ?? '')
    }
    for (const operation of posts) expectLimited(await context.request(operation), posts.length)
    expectStatus(await context.request('listModels'), 200)
    for (const id of ids) expectStatus(await context.record(id), 200)
    const looked = await context.request('listModels')
    assert.equal(looked.headers['x-ratelimit-limit'], undefined, 'a look-up tells of a bucket')
  },
})
