import assert from 'node:assert/strict'
import { expectError, expectSubset } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { untilRefused, untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/deployment-changed',
  rules: ['VERD-20', 'VERD-16', 'VRFY-22'],
  title:
    'A deployment that is not pinned is denied at policy with digest_not_pinned, until the pinned one is back',
  needs: ['generation', 'backendScript', 'platform', 'platformControl'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    const ask = () => context.chat()
    await context.script({ chunks: 2 })
    await context.control('/rotate/deployment')
    // A new certificate makes the proxy look at once.
    await context.control('/rotate/leaf')
    try {
      const refused = await untilRefused(context, ask)
      expectError(refused, 'attestation_failed')
      expectSubset(objectOf(refused), { stage: 'policy', reason: 'digest_not_pinned' })
      assert.equal(refused.headers['x-should-retry'], 'false')
    } finally {
      await context.control('/rotate/deployment', { restore: true })
    }
    await untilServed(context, ask)
  },
})
