import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { limits } from '#contract/limits'
import { expectError } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

/** The wait may be the shorter of the two, or the time for a fetch: both are 15 seconds (decisions, 8). */
const grounds = ['upstream-attesting/verdict_pending', 'upstream-fetch/timeout']

export default define({
  id: 'upstreams/first-verdict-pending',
  rules: ['VERD-14', 'VERD-16'],
  title: 'A first check that does not end is waited for 15 seconds at the most, and nothing is sent',
  needs: upstreamNeeds,
  subjects: ['router'],
  // Beside others: the endpoint has no verdict before either, and whoever changes that runs alone, later.
  waitsMs: () => limits.verdictWaitMs,
  run: (context) =>
    withUpstream(
      context,
      async (upstream) => {
        upstream.gateway.hold(true)
        await upstream.register()
        const startedMs = performance.now()
        const refused = await nothingSent(upstream, () => upstream.chat())
        const tookMs = performance.now() - startedMs
        expectError(refused, 'attestation_failed')
        const { stage, reason } = objectOf(refused)
        assert.ok(grounds.includes(`${stage}/${reason}`), `it is refused at ${stage} for ${reason}`)
        assert.ok(
          tookMs < limits.verdictWaitMs + context.patience(1_000),
          `it waited ${Math.round(tookMs)} ms`,
        )
        assert.ok(!(await upstream.isListed()), 'the model is listed')
        upstream.gateway.hold(false)
      },
      { isRegistered: false },
    ),
})
