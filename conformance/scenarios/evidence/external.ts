import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'evidence/external',
  rules: ['EVID-11', 'EVID-14', 'EVID-15', 'EVID-09'],
  title:
    'Of an external endpoint the publication is relayed that its last verdict named, byte for byte, when it is denied or disabled too',
  needs: upstreamNeeds,
  isExclusive: true,
  // Each run has a gateway of its own, and so other bytes.
  isCompared: false,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const { gateway } = upstream
      const read = () =>
        context.request('getEndpointEvidence', { key: null, params: { endpoint: upstream.name } })
      for (const state of ['admitted', 'denied', 'disabled'] as const) {
        await upstream.set(state)
        const relayed = await read()
        expectStatus(relayed, 200)
        const isOne = gateway.published.some((bytes) => bytes.equals(relayed.body))
        assert.ok(isOne, `while it is ${state} something is relayed that was never published`)
        assert.equal(relayed.headers['cache-control'], 'no-store')
      }
    }),
})
