import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/states',
  rules: ['VERD-01', 'VERD-02', 'VERD-03', 'SRV-18', 'EP-06'],
  title: 'A model is listed while its endpoint is admitted, and not while it is pending, denied or disabled',
  needs: upstreamNeeds,
  isExclusive: true,
  // How often it looks before the model is listed is chance.
  isCompared: false,
  run: (context) =>
    withUpstream(
      context,
      async (upstream) => {
        upstream.gateway.hold(true)
        await upstream.register()
        assert.ok(!(await upstream.isListed()), 'a pending endpoint’s model is listed')
        upstream.gateway.hold(false)
        await upstream.untilListed(true)
        expectStatus(await upstream.chat(), 200)
        for (const state of ['denied', 'disabled'] as const) {
          await upstream.set(state)
          assert.ok(!(await upstream.isListed()), `a ${state} endpoint’s model is listed`)
        }
        await upstream.set('admitted')
        assert.ok(await upstream.isListed(), 'an admitted endpoint’s model is not listed')
        expectStatus(await upstream.chat(), 200)
      },
      { isRegistered: false },
    ),
})
