import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'evidence/external-unadmitted',
  rules: ['EVID-12', 'EVID-13', 'EVID-30'],
  title:
    'What an upstream publishes without being admitted, or under another certificate, is never relayed: the last admitted is',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const { gateway } = upstream
      const params = { endpoint: upstream.name }
      const relayed = async () =>
        expectBundle(await context.request('getEndpointEvidence', { key: null, params }))
      expectStatus(await upstream.chat(), 200)
      const admitted = (await relayed()).bundle.certFingerprint
      const look = async () => {
        const { asked } = gateway
        gateway.drop()
        await upstream.chat()
        assert.ok(gateway.asked > asked, 'the evidence was not looked at')
        const { bundle, payload } = await relayed()
        assert.equal(bundle.certFingerprint, admitted, 'a leaf is claimed that was not the one seen')
        assert.equal(payload.evidenceDigest, approved, 'a deployment is named that no verdict did')
      }
      const approved = gateway.digest
      // It claims the certificate of before, and shows another one.
      await gateway.renewLeaf({ isPublished: false })
      await look()
      await gateway.deploy('another')
      await gateway.renewLeaf()
      await look()
    }),
})
