import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/shared',
  rules: ['VERD-27'],
  title: 'Every router attests for itself, and a denial or a disabling reaches all of them within a second',
  needs: [...upstreamNeeds, 'sibling'],
  subjects: ['router'],
  isExclusive: true,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const { siblingUrl = '' } = context.target
      expectStatus(await upstream.chat(), 200)
      await upstream.untilServed(siblingUrl)
      assert.ok(upstream.gateway.asked >= 2, 'one of the routers has not looked itself')
      for (const [state, code] of [
        ['denied', 'attestation_failed'],
        ['disabled', 'model_not_found'],
      ] as const) {
        await upstream.set(state)
        const sinceMs = performance.now()
        await upstream.untilListed(false, siblingUrl)
        const tookMs = performance.now() - sinceMs
        assert.ok(tookMs < context.patience(1_000), `it took ${Math.round(tookMs)} ms`)
        await context.eventually('the other router knows why', async () => {
          const refused = await nothingSent(upstream, () => upstream.chat({}, siblingUrl))
          expectError(refused, refused.status === 404 ? 'model_not_found' : 'attestation_failed')
          return refused.status === (code === 'model_not_found' ? 404 : 503)
        })
        await upstream.set('admitted')
        await upstream.untilListed(true, siblingUrl)
      }
    }),
})
