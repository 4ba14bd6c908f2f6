import assert from 'node:assert/strict'
import { expectError, expectSubset } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { untilRefused, untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/leaf-swapped-chosen',
  rules: ['VERD-19', 'CONN-01', 'VRFY-20', 'PRXY-16', 'ERR-40', 'ERR-47'],
  title:
    'A swapped certificate is refused at tls-fingerprint with leaf_mismatch, to be tried again, until the evidence names it',
  needs: ['generation', 'backendScript', 'platform', 'platformControl'],
  subjects: ['proxy'],
  isExclusive: true,
  waitsMs: () => 15_000,
  async run(context) {
    const ask = () => context.chat()
    await context.script({ chunks: 2 })
    await context.control('/hold')
    await context.control('/rotate/leaf?resign=later')
    try {
      const refused = await untilRefused(context, ask)
      expectError(refused, 'attestation_failed')
      expectSubset(objectOf(refused), { stage: 'tls-fingerprint', reason: 'leaf_mismatch' })
      assert.equal(refused.headers['x-should-retry'], 'true')
      assert.equal(refused.headers['retry-after'], '1')
      assert.equal(refused.headers['x-proxy-verdict'], undefined)
    } finally {
      await context.control('/resign')
      await context.control('/release')
    }
    await untilServed(context, ask)
  },
})
