import assert from 'node:assert/strict'
import { expectError, expectSubset } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/stage',
  rules: ['ERR-47', 'ERR-41', 'VERD-16', 'VRFY-21', 'VRFY-22'],
  title:
    'The router names the stage at which an upstream fails with upstream- before it, and says not to try again',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  run: (context) =>
    withUpstream(
      context,
      async (upstream) => {
        const { gateway } = upstream
        for (const [pins, reason] of [
          [[], 'no_pins'],
          [[`sha256/${'A'.repeat(43)}`], 'digest_not_pinned'],
        ] as const) {
          const asked = gateway.asked
          await upstream.register({ pins })
          await context.eventually('the evidence is read', async () => gateway.asked > asked)
          const refused = await nothingSent(upstream, () => upstream.chat())
          expectError(refused, 'attestation_failed')
          expectSubset(objectOf(refused), { stage: 'upstream-policy', reason })
          assert.equal(refused.headers['x-should-retry'], 'false')
        }
        // Tried again by itself, once the present deployment is approved.
        await upstream.register()
        await upstream.untilListed(true)
      },
      { isRegistered: false },
    ),
})
