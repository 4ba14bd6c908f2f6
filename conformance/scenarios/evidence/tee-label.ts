import assert from 'node:assert/strict'
import { expectBundle, teeOf } from '../../engine/evidence.ts'
import { expectStatus } from '../../engine/expect.ts'
import { isObject, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/tee-label',
  rules: ['MODL-07', 'MODL-09'],
  title: 'endpoint.tee is the label that the published evidence of the endpoint names',
  needs: ['key', 'feature:evidence', 'endpoint:own'],
  async run(context) {
    const read = expectBundle(await context.request('getEvidence', { key: null }))
    const exchange = await context.request('getModel', { params: { id: context.model() } })
    expectStatus(exchange, 200)
    const { endpoint } = objectOf(exchange)
    assert.ok(isObject(endpoint), 'the model has no endpoint')
    assert.equal(endpoint.tee, teeOf(read))
    assert.notEqual(endpoint.tee, null, 'the evidence of this target names nothing')
  },
})
