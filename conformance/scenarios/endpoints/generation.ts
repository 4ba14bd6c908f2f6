import assert from 'node:assert/strict'
import { expectError, expectStatus, generationIdOf, recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'endpoints/generation',
  rules: ['EP-13', 'GEN-01', 'GEN-02'],
  title: 'GET /generation asks for a key and answers the record of a generation that has ended',
  needs: ['generation'],
  async run(context) {
    const answer = await context.chat()
    const id = generationIdOf(answer)
    expectStatus(answer, 200)
    expectError(await context.request('getGeneration', { query: { id }, key: null }), 'invalid_api_key')
    assert.equal(recordIn(await context.record(id)).id, id)
  },
})
