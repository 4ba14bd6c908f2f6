import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/own-headers',
  rules: ['PRXY-13', 'PRXY-14'],
  title:
    'X-Proxy headers of the client go no further, nothing upstream tells of the verdict, and an upstream cannot give one',
  needs: ['key', 'routerWire'],
  subjects: ['proxy'],
  async run(context) {
    const wire = context.wire('routerWire')
    await wire.insert(context.nonce, 'X-Proxy-Verdict: deny')
    const headers = {
      'x-request-id': context.nonce,
      'x-proxy-verdict': 'allow',
      'x-proxy-token': 'a-token-of-the-client',
      'X-Proxy-Anything': 'else',
    }
    const exchange = await context.request('listModels', { headers })
    expectStatus(exchange, 200)
    assert.equal(exchange.headers['x-proxy-verdict'], 'allow')
    const [head, ...others] = await wire.heads(context.nonce)
    assert.ok(head !== undefined && others.length === 0, 'the request did not reach the router once')
    assert.doesNotMatch(head, /x-proxy-|verdict|attest|sha256[:/]/i)
  },
})
