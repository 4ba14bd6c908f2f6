import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/no-verdict',
  rules: ['EVID-04'],
  title: 'The router says nothing about the bundle: no verdict, no opinion, no digest of its own',
  needs: ['feature:evidence'],
  subjects: ['router'],
  async run(context) {
    const exchange = await context.request('getEvidence', { key: null })
    const { bundle } = expectBundle(exchange)
    assert.equal(exchange.headers['x-proxy-verdict'], undefined, 'the router claims a verdict')
    const words = /verdict|verified|trusted|admitted|attested|valid/i
    for (const name of [...Object.keys(exchange.headers), ...Object.keys(bundle)])
      assert.doesNotMatch(name, words)
  },
})
