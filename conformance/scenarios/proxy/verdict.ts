import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from '../../engine/assert.ts'
import { showing, shows } from '../../engine/checks.ts'
import type { Context } from '../../engine/context.ts'
import { expectError, expectStatus, expectSubset } from '../../engine/expect.ts'
import { interposed } from '../../engine/hostile.ts'
import type { Exchange } from '../../engine/http/exchange.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { expectGround, untilRefused, untilServed } from '../../engine/refusals.ts'
import { whileRedeployed } from '../../engine/rotations.ts'
import { expectBegun, expectFailedStream, expectStream } from '../../engine/stream.ts'
import type { Topic } from '../../engine/topic.ts'
import { upstreamNeeds, withUpstream } from '../../engine/upstream.ts'
import type { Gateway } from '../../stand-ins/gateway/gateway.ts'

/** Both rules say so. */
const PERIOD_MS = 300_000

const MINUTE_MS = 60_000

/** Of a verdict of the proxy (VERD-07). */
const LIFE_MS = 300_000

const PAUSE_MS = 1_000

/** So many wait at the most, and so long (PRXY-08); some more are asked. */
const MOST_WAITING = 1_000
const WAIT_MS = 15_000
const BEYOND = 5

/** Beyond the 4 minutes after which a verdict is renewed, within the 5 that it lives. */
const AHEAD_MS = 245_000

/** What a stranger can answer: his own bundle, which names his certificate, and what is no bundle. */
const answers = [
  undefined,
  { status: 404, body: '{}' },
  { status: 200, body: '<html>Please sign in</html>' },
] as const

/** What the bundle of an authority that nobody trusts is refused for, and what is no bundle; and the rule that says so. */
const foreignEvidence = [
  [undefined, { stage: 'untrusted-root', reason: 'root_not_trusted' }, 'VERD-16'],
  [{ status: 302, headers: { location: '/elsewhere' } }, { stage: 'fetch', reason: 'redirected' }, 'VERD-13'],
  [
    { status: 101, headers: { connection: 'upgrade', upgrade: 'x' } },
    { stage: 'fetch', reason: 'http_status' },
    'VERD-30',
  ],
  [{ status: 200, body: '<html></html>' }, { stage: 'fetch', reason: 'not_json' }, 'VERD-13'],
] as const

export default {
  'attests-again': {
    rules: ['PRXY-03', 'LIM-15'],
    title: 'Once five minutes have passed the proxy has attested again, without being asked for anything',
    needs: ['key', 'proxyControl', 'proxyWire'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      expectStatus(await context.request('listModels'), 200)
      shows('PRXY-03', 'LIM-15')
      await lookedAnew(context, () => context.proxyControl('/advance', { milliseconds: PERIOD_MS }))
      shows()
      await untilServed(context, () => context.request('listModels'))
    },
  },

  'clock-set-back': {
    rules: ['VERD-10'],
    title: 'A wall clock that is set back makes the proxy look at the evidence anew',
    needs: ['key', 'proxyControl', 'proxyWire'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      const ask = () => context.request('listModels')
      await context.proxyControl('/restart')
      await context.proxyControl('/advance', { milliseconds: MINUTE_MS, clock: 'wall' })
      expectStatus(await ask(), 200)
      await lookedAnew(context, () =>
        context.proxyControl('/advance', { milliseconds: -MINUTE_MS, clock: 'wall' }),
      )
      await untilServed(context, ask)
    },
  },

  denied: {
    rules: ['VERD-04', 'VERD-05', 'PRXY-04'],
    title:
      'While the endpoint is denied a request is refused with attestation_failed, and nothing of it is sent on',
    needs: ['generation', 'backendScript', 'platform', 'platformControl'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      const ask = () => context.chat()
      await context.script({ chunks: 2 })
      await whileRedeployed(context, async () => {
        shows('VERD-04', 'PRXY-04')
        expectError(await untilRefused(context, ask), 'attestation_failed')
        const before = (await context.received()).length
        for (const stream of [false, true]) expectError(await context.chat({ stream }), 'attestation_failed')
        for (const operation of ['listModels', 'createCompletion', 'createEmbedding', 'getEvidence'] as const)
          expectError(await context.request(operation), 'attestation_failed')
        shows('VERD-05')
        assert.equal((await context.received()).length, before, 'something was sent on')
      })
      shows()
      await untilServed(context, ask)
    },
  },

  'deployment-changed': {
    rules: ['VERD-20', 'VERD-16', 'VRFY-22', 'ERR-41'],
    title:
      'A deployment that is not pinned is denied at policy with digest_not_pinned, until the pinned one is back',
    needs: ['generation', 'backendScript', 'platform', 'platformControl'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      const ask = () => context.chat()
      await context.script({ chunks: 2 })
      await whileRedeployed(context, async () => {
        shows('VERD-20')
        const refused = await untilRefused(context, ask)
        expectError(refused, 'attestation_failed')
        shows('VERD-16', 'VRFY-22')
        expectGround(refused, { stage: 'policy', reason: 'digest_not_pinned' })
        shows('ERR-41')
        assert.equal(refused.headers['x-should-retry'], 'false')
      })
      shows()
      await untilServed(context, ask)
    },
  },

  'either-clock': {
    rules: ['VERD-09', 'VERD-07'],
    title: 'A verdict has expired once five minutes have passed by the wall clock or by the monotonic one',
    needs: ['key', 'proxyControl', 'proxyWire'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      const ask = () => context.request('listModels')
      const wire = context.wire('proxyWire')
      const reasons: unknown[] = []
      for (const clock of ['wall', 'monotonic'] as const) {
        shows()
        expectStatus(await ask(), 200)
        await wire.hold()
        try {
          await context.proxyControl('/advance', { milliseconds: LIFE_MS, clock })
          await context.eventually(`the ${clock} clock has moved`, async () => (await wire.state()).held > 0)
          const answer = await ask()
          reasons.push(answer.status === 200 ? undefined : objectOf(answer).reason)
        } finally {
          await wire.mend()
        }
        await untilServed(context, ask)
      }
      shows('VERD-07')
      assert.ok(reasons.includes('verdict_expired'), 'a verdict outlives five minutes by either clock')
      shows('VERD-09')
      assert.deepEqual(reasons, ['verdict_expired', 'verdict_expired'])
    },
  },

  'first-verdict-awaited': {
    rules: ['PRXY-08'],
    title: 'A request that comes before the first verdict waits for it, and is then served',
    needs: ['key', 'proxyControl', 'proxyWire'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      await context.own()
      const wire = context.wire('proxyWire')
      await wire.hold()
      try {
        await context.proxyControl('/restart')
        const call = await context.open('listModels')
        await sleep(PAUSE_MS)
        assert.ok(!call.isOver, 'it is answered before anything can have been verified')
        await wire.mend()
        const exchange = await call.done
        expectStatus(exchange, 200)
        showing([], () => assert.equal(exchange.headers['x-proxy-verdict'], 'allow'))
      } finally {
        await wire.mend()
      }
    },
  },

  'first-verdict-crowded': {
    rules: ['PRXY-08'],
    title:
      'Beside a thousand that wait for the first verdict another is told attesting at once, until some have left',
    needs: ['key', 'proxyControl', 'proxyWire'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      await context.own()
      const wire = context.wire('proxyWire')
      await wire.hold()
      try {
        await context.proxyControl('/restart')
        const calls = await Promise.all(
          Array.from({ length: MOST_WAITING + BEYOND }, () => context.open('listModels')),
        )
        const answered = () => calls.filter(({ isOver }) => isOver)
        await context.eventually(
          'those beyond the bound are answered',
          async () => answered().length >= BEYOND,
          WAIT_MS / 3,
        )
        for (const call of answered()) {
          const refused = await call.done
          expectError(refused, 'attestation_failed')
          expectGround(refused, { stage: 'attesting', reason: 'verdict_pending' })
          assert.equal(refused.headers['retry-after'], '1')
        }
        for (const call of calls) call.abort()
        await context.eventually('there is room again', async () => {
          const next = await context.open('listModels')
          await sleep(PAUSE_MS)
          if (next.isOver) return false
          await wire.mend()
          expectStatus(await next.done, 200)
          return true
        })
      } finally {
        await wire.mend()
      }
    },
  },

  'foreign-answers': {
    rules: ['VERD-31'],
    title: 'What a stranger answers in the endpoint’s place cuts no stream and takes nothing from a verdict',
    needs: ['generation', 'backendScript', 'proxyControl', 'proxyWire', 'platform'],
    subjects: ['proxy'],
    isExclusive: true,
    run: (context) =>
      undisturbed(context, 320, async (hostile) => {
        await context.proxyControl('/advance', { milliseconds: AHEAD_MS })
        for (const answer of answers) {
          const { asked } = hostile
          hostile.answer(answer)
          await context.eventually('the evidence is fetched', async () => hostile.asked > asked, 10_000)
        }
      }),
  },

  'foreign-evidence': {
    rules: ['VERD-13', 'VERD-16', 'VERD-15', 'VERD-30'],
    title:
      'Evidence of a foreign authority, a redirect, another protocol and what is no JSON admit nobody, until a check passes',
    needs: ['key', 'proxyWire', 'proxyControl', 'platform'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      const ask = () => context.request('listModels')
      await interposed(context, async (hostile) => {
        // So that there is no verdict: one that lives is not moved by anything of this.
        await context.proxyControl('/restart')
        for (const [answer, ground, rule] of foreignEvidence) {
          hostile.answer(answer)
          await context.eventually('the refusal names what is wrong', async () => {
            const refused = await ask()
            shows('VERD-16')
            expectError(refused, 'attestation_failed')
            shows(rule)
            const { stage, reason } = objectOf(refused)
            return stage === ground.stage && reason === ground.reason
          })
          expectSubset(objectOf(await ask()), ground)
        }
        shows('VERD-16')
        assert.deepEqual(hostile.sent, [], 'something was sent on')
      })
      shows('VERD-15')
      await untilServed(context, ask)
    },
  },

  'older-evidence': {
    rules: ['VERD-11', 'VERD-18', 'VRFY-17'],
    title:
      'Evidence older than the newest accepted denies nobody who is admitted and admits nobody, after a restart either',
    needs: ['key', 'proxyControl', 'proxyWire', 'platform', 'platformControl'],
    subjects: ['proxy'],
    isExclusive: true,
    waitsMs: () => 15_000,
    async run(context) {
      const ask = () => context.request('listModels')
      expectStatus(await ask(), 200)
      const { body: older } = await context.published()
      await context.control('/resign')
      await context.proxyControl('/restart')
      expectStatus(await ask(), 200)
      await interposed(context, async (hostile) => {
        hostile.answer({ status: 200, body: older })
        const refused = await ask()
        shows('VERD-18')
        expectError(refused, 'attestation_failed')
        assert.equal(objectOf(refused).stage, 'tls-fingerprint', 'the verdict has gone')
        await context.proxyControl('/restart')
        shows('VERD-11', 'VRFY-17')
        await context.eventually('it is refused as rolled back', async () => {
          const anew = await ask()
          expectError(anew, 'attestation_failed')
          const { stage, reason } = objectOf(anew)
          return stage === 'jws' && reason === 'issued_at_rolled_back'
        })
        assert.deepEqual(hostile.sent, [], 'something was sent on')
      })
      shows()
      await untilServed(context, ask)
    },
  },

  'revoked-in-stream': {
    rules: ['ERR-22', 'ERR-36', 'STRM-06', 'STRM-19'],
    title: 'A verdict that is withdrawn ends a running stream with attestation_revoked as its last event',
    needs: ['generation', 'backendScript', 'platform', 'platformControl'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      const ask = () => context.request('listModels')
      await context.script({ chunks: 2_000, betweenChunksMs: 20 })
      const call = await context.stream()
      await expectBegun(call, 3)
      await whileRedeployed(context, async () => {
        const refused = await untilRefused(context, ask)
        // What is told to whoever comes then has rules of its own.
        showing([], () => expectError(refused, 'attestation_failed'))
        shows('ERR-36', 'STRM-06', 'STRM-19')
        const { error } = expectFailedStream(await call.done)
        shows('ERR-22')
        assert.deepEqual([error.code, error.type], ['attestation_revoked', 'proxy_error'])
      })
      shows()
      await untilServed(context, ask)
    },
  },

  'unfinished-fetch': {
    rules: ['VERD-12', 'VERD-17', 'VERD-07'],
    title:
      'A verdict is renewed after 4 minutes, and a fetch of evidence that is answered 5xx or 429 takes nothing from it',
    needs: ['generation', 'backendScript', 'proxyControl', 'proxyWire', 'platform'],
    subjects: ['proxy'],
    isExclusive: true,
    run: (context) =>
      undisturbed(context, 120, async (hostile) => {
        for (const status of [503, 429]) {
          const { asked } = hostile
          hostile.answer({ status, body: '{}' })
          if (status === 503) await context.proxyControl('/advance', { milliseconds: AHEAD_MS })
          shows('VERD-07')
          await context.eventually('the evidence is fetched', async () => hostile.asked > asked, 5_000)
        }
        // What runs and what comes afterwards is served all the while.
        shows('VERD-12', 'VERD-17')
      }),
  },

  'verdict-expired': {
    rules: ['VERD-22', 'ERR-40', 'ERR-48'],
    title:
      'When a verdict’s life ends, new requests are 503 attesting and told to come again, running ones are revoked',
    needs: ['generation', 'backendScript', 'proxyControl', 'proxyWire'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      await context.script({ chunks: 4_000, betweenChunksMs: 20 })
      const wire = context.wire('proxyWire')
      const call = await context.stream()
      await expectBegun(call)
      // What runs goes on, and no evidence can be had any more.
      await wire.hold()
      try {
        await context.proxyControl('/advance', { milliseconds: LIFE_MS + 1_000 })
        shows('VERD-22')
        assert.equal(expectFailedStream(await call.done).error.code, 'attestation_revoked')
        for (const ask of [() => context.chat(), () => context.request('listModels')]) {
          const refused = await ask()
          expectError(refused, 'attestation_failed')
          shows('VERD-22', 'ERR-48')
          expectGround(refused, { stage: 'attesting', reason: 'verdict_expired' })
          shows('ERR-40')
          assert.equal(refused.headers['retry-after'], '1')
          assert.notEqual(refused.headers['x-should-retry'], 'false', 'trying again can help')
        }
      } finally {
        await wire.mend()
      }
      shows()
      await untilServed(context, () => context.request('listModels'))
    },
  },

  'which-verifier': {
    rules: ['ERR-28'],
    title:
      'For one and the same cause the router and the proxy name another stage, so that it tells which refused',
    needs: [...upstreamNeeds, 'platform', 'platformControl'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      const stageOf = (refused: Exchange) => {
        // Who lets through what is not approved breaks other rules.
        showing([], () => expectError(refused, 'attestation_failed'))
        return objectOf(refused).stage
      }
      let ofRouter: unknown
      await withUpstream(
        context,
        async (upstream) => {
          // Nobody has approved what it deploys.
          await upstream.register({ pins: [`sha256/${'A'.repeat(43)}`] })
          await context.eventually('its evidence is read', async () => upstream.gateway.asked > 0)
          ofRouter = stageOf(await upstream.chat())
        },
        { isRegistered: false },
      )
      const ask = () => context.chat()
      await whileRedeployed(context, async () => {
        const ofProxy = stageOf(await showing([], () => untilRefused(context, ask)))
        assert.equal(typeof ofProxy, 'string')
        assert.notEqual(ofProxy, ofRouter, 'the stage does not tell who refused')
      })
      await untilServed(context, ask)
    },
  },
} satisfies Topic

/** Does something, and waits until the proxy has connected to look at the evidence. */
async function lookedAnew(context: Context, act: () => Promise<void>): Promise<void> {
  const wire = context.wire('proxyWire')
  const { connections } = await wire.state()
  await act()
  await context.eventually(
    'the proxy connects to look at the evidence',
    async () => (await wire.state()).connections > connections,
    5_000,
  )
}

/** Has a stranger answer for the evidence while a stream of so many chunks runs; it and the verdict take no harm. */
async function undisturbed(
  context: Context,
  chunks: number,
  act: (hostile: Gateway) => Promise<void>,
): Promise<void> {
  await context.script({ chunks, betweenChunksMs: 25 })
  // So that the verdict is young.
  await context.proxyControl('/restart')
  const call = await context.stream()
  await expectBegun(call)
  await interposed(context, act, { isDropping: false })
  const { text } = expectStream(await call.done)
  assert.ok(text.endsWith(`word${chunks}`), 'the stream did not come to its end')
  expectStatus(await context.request('listModels'), 200)
}
