import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectFailedStream } from '../../engine/stream.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/disabled',
  rules: ['VERD-23'],
  title:
    'While an upstream is disabled its models are 404 model_not_found and what ran is revoked; enabled, it is checked anew',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const { gateway } = upstream
      await gateway.backend.play({ rules: [{ chunks: 5, fault: { kind: 'stall', afterChunks: 1 } }] })
      const call = await upstream.stream()
      assert.ok(await call.until((soFar) => countTexts(soFar) === 1), 'the stream did not begin')
      await upstream.set('disabled')
      assert.equal(expectFailedStream(await call.done).error.code, 'attestation_revoked')
      const refused = await nothingSent(upstream, () => upstream.chat())
      expectError(refused, 'model_not_found', { param: 'model' })
      const { asked } = gateway
      await gateway.backend.play({})
      await upstream.set('admitted')
      assert.ok(gateway.asked > asked, 'it is admitted without having been checked')
      expectStatus(await upstream.chat(), 200)
    }),
})
