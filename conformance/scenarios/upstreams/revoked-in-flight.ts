import assert from 'node:assert/strict'
import { expectAborted } from '../../engine/aborted.ts'
import { expectError, expectSubset } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/revoked-in-flight',
  rules: ['VERD-25', 'ERR-41', 'ERR-47'],
  title:
    'A request in flight without a stream is 503 attestation_revoked when the verdict goes, aborted with its prompt counted',
  needs: [...upstreamNeeds, 'ledger'],
  subjects: ['router'],
  isExclusive: true,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      await upstream.gateway.backend.play({ rules: [{ fault: { kind: 'silence' } }] })
      const call = await context.open('createChatCompletion', { body: { model: context.model('doubted') } })
      await context.eventually('it is under way', async () => upstream.gateway.sent.length === 1)
      await upstream.set('denied')
      const exchange = await call.done
      expectError(exchange, 'attestation_revoked')
      expectSubset(objectOf(exchange), { stage: 'upstream-policy', reason: 'digest_not_pinned' })
      assert.equal(exchange.headers['x-should-retry'], 'false')
      const record = await expectAborted(context, exchange)
      assert.ok(record.prompt_tokens > 0, 'the prompt is not counted')
      assert.equal(record.completion_tokens, 0)
    }),
})
