import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { textOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'embeddings/capability',
  rules: ['EP-12'],
  title: 'Embeddings are to be had only of a model whose capabilities include them',
  needs: ['generation', 'feature:embeddings', 'model:embeddings'],
  async run(context) {
    const refused = await context.request('createEmbedding', { body: { model: context.model() } })
    // Which refusal it is, the given specification leaves open.
    assert.ok([400, 404].includes(refused.status), `a model of chat was answered ${refused.status}`)
    assert.match(textOf(refused), /"invalid_request_error"/)
    expectStatus(await context.request('createEmbedding'), 200)
  },
})
