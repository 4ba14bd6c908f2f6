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
      const before = (await context.received()).length
      expectError(await context.chat(), 'attestation_failed')
      assert.equal((await context.received()).length, before, 'something was sent on')
    } finally {
      await context.control('/resign')
      await context.control('/release')
    }
    await untilServed(context, ask)
  },
})
