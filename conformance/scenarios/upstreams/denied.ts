import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { isObject, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

const requests = [
  ['createChatCompletion', {}],
  ['createChatCompletion', { stream: true }],
  ['createCompletion', {}],
  ['createEmbedding', {}],
] as const

export default define({
  id: 'upstreams/denied',
  rules: ['ERR-26', 'ERR-27', 'ERR-29', 'ERR-31', 'ERR-32', 'ERR-21', 'VERD-04', 'VERD-05', 'HDR-05'],
  title:
    'While an external endpoint is denied its model is not found, a request is 503 attestation_failed with stage and reason, and nothing is sent',
  needs: [...upstreamNeeds, 'ledger'],
  isExclusive: true,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      await upstream.set('admitted')
      await upstream.set('denied')
      const id = context.model('doubted')
      expectError(await context.request('getModel', { params: { id } }), 'model_not_found')
      await nothingSent(upstream, async () => {
        for (const [operation, body] of requests) {
          const refused = await context.request(operation, { body: { model: id, ...body } })
          expectError(refused, 'attestation_failed')
          const { error, stage, reason } = objectOf(refused)
          assert.ok(isObject(error) && error.type === 'proxy_error')
          assert.deepEqual([typeof stage, typeof reason], ['string', 'string'])
          // The user's proxy has admitted its own connection, and this is the other verifier's word.
          const verdict = context.subject === 'proxy' ? 'allow' : undefined
          assert.equal(refused.headers['x-proxy-verdict'], verdict)
        }
      })
      const { generations, entries } = await context.books()
      assert.equal(generations.length, 0, 'a refused request has a record')
      assert.ok(!entries.some(({ kind }) => kind === 'generation'), 'a refused request was debited')
      await upstream.set('admitted')
      expectStatus(await context.request('getModel', { params: { id } }), 200)
      expectStatus(await upstream.chat(), 200)
    }),
})
