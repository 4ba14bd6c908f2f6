import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/leaf-swapped',
  rules: ['SRV-17', 'ERR-32'],
  title:
    'A connection to an upstream that shows another certificate than the evidence names is sent nothing: 503 attestation_failed',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  waitsMs: () => 30_000,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const { gateway } = upstream
      expectStatus(await upstream.chat(), 200)
      assert.equal(gateway.sent.length, 1)
      await gateway.renewLeaf({ isPublished: false })
      gateway.drop()
      for (const stream of [false, true])
        expectError(await nothingSent(upstream, () => upstream.chat({ stream })), 'attestation_failed')
    }),
})
