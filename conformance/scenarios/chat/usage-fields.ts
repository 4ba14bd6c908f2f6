import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { isObject, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'chat/usage-fields',
  rules: ['CHAT-05', 'CHAT-12'],
  title: 'usage has three members more than that of OpenAI, and they stand in it',
  needs: ['generation'],
  async run(context) {
    const exchange = await context.chat()
    expectStatus(exchange, 200)
    const body = objectOf(exchange)
    assert.ok(isObject(body.usage), 'there is no usage')
    const { cost_micros: cost, endpoint, evidence_digest: digest } = body.usage
    assert.ok(Number.isInteger(cost), 'usage.cost_micros is no whole number')
    assert.ok(typeof endpoint === 'string' && endpoint !== '', 'usage.endpoint is no text')
    assert.ok(
      digest === null || typeof digest === 'string',
      'usage.evidence_digest is neither a text nor null',
    )
    for (const name of ['cost_micros', 'endpoint', 'evidence_digest'])
      assert.ok(!(name in body), `${name} stands beside usage`)
  },
})
