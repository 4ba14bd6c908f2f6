import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { isObject, objectOf } from '../../engine/http/exchange.ts'
import { untilRefused, untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/leaf-swapped',
  rules: ['PRXY-04', 'PRXY-02', 'ERR-21', 'ERR-28', 'ERR-29', 'ERR-30', 'SRV-04'],
  title:
    'A connection with another certificate than the evidence names is refused with 503, stage and reason, and nothing is sent',
  needs: ['generation', 'backendScript', 'platform', 'platformControl'],
  subjects: ['proxy'],
  isExclusive: true,
  waitsMs: () => 30_000,
  async run(context) {
    const ask = () => context.chat()
    await context.script({ chunks: 2 })
    await context.control('/hold')
    await context.control('/rotate/leaf?resign=later')
    try {
      const refused = await untilRefused(context, ask)
      expectError(refused, 'attestation_failed')
      assert.equal(refused.headers['x-proxy-verdict'], undefined, 'a refusal claims a verdict')
      const { stage, reason, error } = objectOf(refused)
      assert.equal(typeof stage, 'string')
      assert.equal(typeof reason, 'string')
      assert.ok(!String(stage).startsWith('upstream-'), 'it claims to be of the router')
      assert.ok(isObject(error) && error.type === 'proxy_error')
      // Connections that were opened before may still serve; a refused request is one that none of them took.
      let before = 0
      const again = await untilRefused(context, async () => {
        before = (await context.received()).length
        return ask()
      })
      expectError(again, 'attestation_failed')
      assert.equal((await context.received()).length, before, 'something was sent on')
    } finally {
      await context.control('/resign')
      await context.control('/release')
    }
    await untilServed(context, ask)
  },
})
