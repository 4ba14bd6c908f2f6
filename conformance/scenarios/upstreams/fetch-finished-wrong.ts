import assert from 'node:assert/strict'
import { expectError, expectSubset } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'
import type { Answer } from '../../stand-ins/gateway/gateway.ts'

/** Answers on the evidence path that are no evidence, and what is said of them. */
const wrong: readonly (readonly [Answer, string])[] = [
  [{ status: 404, body: '{}' }, 'http_status'],
  [{ status: 101, headers: { connection: 'upgrade', upgrade: 'x' } }, 'http_status'],
  [{ status: 302, headers: { location: '/elsewhere' } }, 'redirected'],
  [{ status: 200, body: '<html></html>' }, 'not_json'],
  [{ status: 200, body: '{"version":1}' }, 'malformed_bundle'],
]

export default define({
  id: 'upstreams/fetch-finished-wrong',
  rules: ['VERD-13', 'VERD-30'],
  title:
    'Evidence that comes as another status, another protocol, a redirect, no JSON or malformed is a failed check',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  run: (context) =>
    withUpstream(
      context,
      async (upstream) => {
        for (const [answer, reason] of wrong) {
          upstream.gateway.answer(answer)
          await upstream.register()
          const refused = await nothingSent(upstream, () => upstream.chat())
          expectError(refused, 'attestation_failed')
          expectSubset(objectOf(refused), { stage: 'upstream-fetch', reason })
          assert.ok(!(await upstream.isListed()), 'the model is listed')
        }
        upstream.gateway.answer()
        await upstream.register()
        await upstream.untilListed(true)
      },
      { isRegistered: false },
    ),
})
