import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '#contract/limits'
import { expectError, expectStatus } from '../../engine/expect.ts'
import type { Exchange } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/budget',
  rules: ['LIM-28', 'LIM-29', 'LIM-31', 'LIM-39'],
  title: 'An address that asks too often is 429, told of its bucket and when that admits again',
  needs: ['feature:evidence', 'forwarded'],
  // Through the proxy the platform says who asks.
  subjects: ['router'],
  async run(context) {
    // An address of its own, so that nobody else is kept out.
    const address = `203.0.113.${1 + context.random.below(250)}`
    const headers = { 'x-forwarded-for': address }
    const ask = () => context.request('getEvidence', { key: null, headers })
    let refused: Exchange | undefined
    for (let turn = 0; turn < 160 && refused === undefined; turn++) {
      const exchange = await ask()
      if (exchange.status !== 200) refused = exchange
    }
    assert.ok(refused, 'the address was never refused')
    expectError(refused, 'rate_limit_exceeded')
    const number = (name: string) => Number(refused?.headers[name])
    assert.equal(number('x-ratelimit-limit'), limits.evidencePerMinute)
    assert.equal(number('x-ratelimit-remaining'), 0)
    const seconds = number('retry-after')
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After is ${seconds}`)
    const milliseconds = number('retry-after-ms')
    assert.ok(milliseconds > 0 && milliseconds <= seconds * 1_000, `retry-after-ms is ${milliseconds}`)
    const resetInMs = number('x-ratelimit-reset') * 1_000 - Date.now()
    assert.ok(Math.abs(resetInMs) < 3_000, `X-RateLimit-Reset is ${resetInMs} ms away`)
    expectStatus(
      await context.request('getEvidence', { key: null, headers: { 'x-forwarded-for': '203.0.113.254' } }),
      200,
    )
    await sleep(milliseconds)
    expectStatus(await ask(), 200)
  },
})
