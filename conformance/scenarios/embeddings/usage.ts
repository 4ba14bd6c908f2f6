import assert from 'node:assert/strict'
import type { EmbeddingList } from '#contract/models'
import { isEmbeddingList } from '#contract/validators/embedding-list'
import { costMicros } from '../../engine/books.ts'
import { expectShape, expectStatus, generationIdOf, recordIn } from '../../engine/expect.ts'
import { priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'embeddings/usage',
  rules: ['CHAT-16'],
  title: 'usage of embeddings has the three members more, and the cost is that of the prompt tokens',
  needs: ['workspace', 'ledger', 'feature:embeddings', 'model:embeddings', 'backendScript'],
  async run(context) {
    const promptTokens = 101 + context.random.below(900)
    await context.script({ promptTokens })
    const prices = await priceOf(context, 'embeddings')
    const exchange = await context.request('createEmbedding')
    const { model, usage } = expectShape<EmbeddingList>(exchange, isEmbeddingList)
    assert.equal(model, context.model('embeddings'))
    assert.equal(usage.prompt_tokens, promptTokens)
    assert.equal(usage.total_tokens, promptTokens)
    assert.equal(usage.cost_micros, costMicros({ promptTokens, completionTokens: 0 }, prices))
    assert.ok(typeof usage.endpoint === 'string' && usage.endpoint !== '', 'usage.endpoint is no text')
    assert.ok(
      usage.evidence_digest === null || typeof usage.evidence_digest === 'string',
      'usage.evidence_digest is neither a text nor null',
    )
    const id = generationIdOf(exchange)
    const record = await context.record(id)
    expectStatus(record, 200)
    const { operation, status, completion_tokens: completion, endpoint, ...told } = recordIn(record)
    assert.deepEqual([operation, status, completion, endpoint], ['embeddings', 'ok', 0, usage.endpoint])
    assert.equal(told.evidence_digest, usage.evidence_digest)
    const rows = (await context.books()).entries.filter(({ reference }) => reference === id)
    assert.deepEqual(
      rows.map(({ amount_micros }) => amount_micros),
      [-usage.cost_micros],
    )
  },
})
