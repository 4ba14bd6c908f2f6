import assert from 'node:assert/strict'
import type { EmbeddingList } from '#contract/models'
import { isEmbeddingList } from '#contract/validators/embedding-list'
import { expectShape } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'embeddings/base64',
  rules: ['REQ-50'],
  title: 'encoding_format reaches the backend, and base64 holds the floats that are numbers otherwise',
  needs: ['generation', 'feature:embeddings', 'model:embeddings', 'backendScript'],
  async run(context) {
    await context.script({ promptTokens: 5 })
    const input = [context.prompt, `another ${context.nonce}`]
    const ask = async (body: object) =>
      expectShape<EmbeddingList>(
        await context.request('createEmbedding', { body: { input, ...body } }),
        isEmbeddingList,
      ).data.map(({ embedding }) => embedding)
    const numbers = await ask({ encoding_format: 'float' })
    assert.ok(
      numbers.every((vector) => Array.isArray(vector)),
      'floats are not written as numbers',
    )
    assert.deepEqual(await ask({}), numbers, 'another encoding than floats is the usual one')
    const texts = await ask({ encoding_format: 'base64' })
    assert.deepEqual(texts.map(floatsOf), numbers)
    const sent = (await context.received()).map(({ body }) => JSON.parse(body).encoding_format as unknown)
    assert.deepEqual(sent, ['float', undefined, 'base64'])
  },
})

function floatsOf(text: unknown): readonly number[] {
  assert.ok(typeof text === 'string', 'base64 is no text')
  const bytes = Buffer.from(text, 'base64')
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}
