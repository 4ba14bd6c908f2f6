import assert from 'node:assert/strict'
import { expectAborted } from '../../engine/aborted.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectFailedStream } from '../../engine/stream.ts'
import { upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/revoked-in-stream',
  rules: ['GEN-14', 'GEN-15', 'GEN-16', 'VERD-06', 'ERR-33', 'ERR-34', 'ERR-22', 'ERR-36'],
  title:
    'A verdict that is withdrawn during a stream ends it with attestation_revoked, aborted and metered for what was delivered',
  needs: [...upstreamNeeds, 'ledger'],
  isExclusive: true,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      await upstream.gateway.backend.play({
        rules: [{ chunks: 5, fault: { kind: 'stall', afterChunks: 3 } }],
      })
      const call = await upstream.stream()
      assert.ok(await call.until((soFar) => countTexts(soFar) === 3), 'the stream did not begin')
      await upstream.set('denied')
      const exchange = await call.done
      const { error } = expectFailedStream(exchange)
      assert.deepEqual([error.code, error.type], ['attestation_revoked', 'proxy_error'])
      const record = await expectAborted(context, exchange)
      assert.equal(record.completion_tokens, 5, 'the tokens delivered are not those metered')
      assert.ok(record.prompt_tokens > 0 && record.cost_micros > 0, 'it was not debited')
    }),
})
