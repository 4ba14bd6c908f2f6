import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '#base/object.ts'
import { limits } from '#contract/limits'
import { expectAborted } from '../engine/aborted.ts'
import * as assert from '../engine/assert.ts'
import { showing, shows } from '../engine/checks.ts'
import type { Context } from '../engine/context.ts'
import { expectBundle, isEndpoint } from '../engine/evidence.ts'
import {
  codeIn,
  expectChat,
  expectError,
  expectStatus,
  generationIdOf,
  listedIn,
  recordIn,
} from '../engine/expect.ts'
import { objectOf } from '../engine/http/exchange.ts'
import { expectGround } from '../engine/refusals.ts'
import { type Definition, type Description, namesRules } from '../engine/scenario.ts'
import { expectBegun, expectFailedStream, expectStream } from '../engine/stream.ts'
import type { Topic } from '../engine/topic.ts'
import { inWireForm } from '../engine/universal/open.ts'
import {
  nothingSent,
  type Upstream,
  type UpstreamSettings,
  upstreamNeeds,
  withUpstream,
} from '../engine/upstream.ts'
import { type Answer, FIRST_REVISION } from '../stand-ins/gateway/gateway.ts'

const requests = [
  ['createChatCompletion', {}],
  ['createChatCompletion', { stream: true }],
  ['createCompletion', {}],
  ['createEmbedding', {}],
] as const

/** Answers on the evidence path that are no evidence, and what is said of them. */
const wrong: readonly (readonly [Answer, string])[] = [
  [{ status: 404, body: '{}' }, 'http_status'],
  [{ status: 101, headers: { connection: 'upgrade', upgrade: 'x' } }, 'http_status'],
  [{ status: 302, headers: { location: '/elsewhere' } }, 'redirected'],
  [{ status: 200, body: '<html></html>' }, 'not_json'],
  [{ status: 200, body: '{"version":1}' }, 'malformed_bundle'],
]

const PAUSE_MS = 500

/** The wait may be the shorter of the two, or the time for a fetch: both are 15 seconds (VERD-14, VRFY-04). */
const grounds = ['upstream-attesting/verdict_pending', 'upstream-fetch/timeout']

/** How long the upstream shows a certificate that it has not signed for. */
const SPLIT_MS = 3_000

/** Longer than a check that needs nobody's leave would take to come. */
const STICKY_PAUSE_MS = 1_500

/** Of a verdict of the router on an upstream, and when it is renewed (VERD-08). */
const LIFE_MS = 600_000
const RENEWAL_MS = 240_000

interface Verification extends Description, UpstreamSettings {
  readonly judge: (upstream: Upstream, context: Context) => Promise<void>
}

export default {
  'admitting-digest': {
    rules: ['CHAT-15'],
    title: 'Usage and record of an external generation name the digest of the verdict that admitted it',
    needs: ['generation', 'feature:upstreams', 'model:external', 'endpoint:external'],
    async run(context) {
      const params = { endpoint: context.target.endpoints.external ?? '' }
      shows()
      const { payload } = expectBundle(await context.request('getEndpointEvidence', { params }))
      shows('CHAT-15')
      const exchange = await context.chat({ model: context.model('external') })
      assert.equal(inWireForm(expectChat(exchange).usage.evidence_digest), payload.evidenceDigest)
      // Whether the record holds one is shown by itself.
      shows()
      const record = recordIn(await context.record(generationIdOf(exchange)))
      assert.equal(inWireForm(record.evidence_digest), payload.evidenceDigest)
    },
  },

  denied: verifying({
    rules: ['ERR-26', 'ERR-27', 'ERR-29', 'ERR-31', 'ERR-32', 'ERR-21', 'VERD-04', 'VERD-05', 'HDR-05'],
    title:
      'While an external endpoint is denied its model is not found, a request is 503 attestation_failed with stage and reason, and nothing is sent',
    subjects: ['router', 'proxy'],
    async judge(upstream, context) {
      await upstream.set('admitted')
      await upstream.set('denied')
      const id = context.model('doubted')
      shows('ERR-26')
      expectError(await context.request('getModel', { params: { id } }), 'model_not_found')
      const served = requests.filter(
        ([operation]) => operation !== 'createEmbedding' || context.target.features.has('embeddings'),
      )
      shows('VERD-05', 'ERR-32')
      await nothingSent(upstream, async () => {
        for (const [operation, body] of served) {
          const refused = await context.request(operation, { body: { model: id, ...body } })
          showing(['VERD-04', 'ERR-21', 'ERR-27', 'ERR-31'], () => expectError(refused, 'attestation_failed'))
          const { error, stage, reason } = objectOf(refused)
          showing(['ERR-21', 'ERR-27'], () => assert.ok(isObject(error) && error.type === 'proxy_error'))
          showing(['ERR-29'], () => assert.deepEqual([typeof stage, typeof reason], ['string', 'string']))
          // The user's proxy has admitted its own connection, and this is the other verifier's word.
          if (context.subject === 'proxy')
            showing(['HDR-05'], () => assert.equal(refused.headers['x-proxy-verdict'], 'allow'))
        }
      })
      shows()
      await upstream.set('admitted')
      expectStatus(await context.request('getModel', { params: { id } }), 200)
      expectStatus(await upstream.chat(), 200)
    },
  }),

  disabled: verifying({
    rules: ['VERD-23'],
    title:
      'While an upstream is disabled its models are 404 model_not_found and what ran is revoked; enabled, it is checked anew',
    async judge(upstream) {
      const { gateway } = upstream
      await gateway.backend.play({ rules: [{ chunks: 5, fault: { kind: 'stall', afterChunks: 1 } }] })
      const call = await upstream.stream()
      await expectBegun(call)
      await upstream.set('disabled')
      assert.equal(expectFailedStream(await call.done).error.code, 'attestation_revoked')
      const refused = await nothingSent(upstream, () => upstream.chat())
      expectError(refused, 'model_not_found', { param: 'model' })
      const { asked } = gateway
      await gateway.backend.play({})
      await upstream.set('admitted')
      assert.ok(gateway.asked > asked, 'it is admitted without having been checked')
      expectStatus(await upstream.chat(), 200)
    },
  }),

  'fetch-finished-wrong': verifying({
    rules: ['VERD-13', 'VERD-30'],
    title:
      'Evidence that comes as another status, another protocol, a redirect, no JSON or malformed is a failed check',
    isRegistered: false,
    async judge(upstream) {
      for (const [answer, reason] of wrong) {
        upstream.gateway.answer(answer)
        await upstream.register()
        shows('VERD-13')
        const refused = await nothingSent(upstream, () => upstream.chat())
        expectError(refused, 'attestation_failed')
        shows('VERD-30')
        expectGround(refused, { stage: 'upstream-fetch', reason })
        shows('VERD-13')
        assert.ok(!(await upstream.isListed()), 'the model is listed')
      }
      upstream.gateway.answer()
      await upstream.register()
      await upstream.untilListed(true)
    },
  }),

  'first-verdict-awaited': verifying({
    rules: ['VERD-14', 'VERD-15', 'VRFY-03'],
    title: 'A request during an upstream’s first check waits for it, and goes over a connection of its own',
    isRegistered: false,
    async judge(upstream, context) {
      const { gateway } = upstream
      gateway.hold(true)
      await upstream.register()
      const call = await context.open('createChatCompletion', {
        body: { model: context.model('doubted') },
      })
      shows('VRFY-03')
      await context.eventually('the evidence is asked for', async () => gateway.asked > 0)
      await sleep(PAUSE_MS)
      shows('VERD-14')
      if (call.isOver) expectStatus(call.exchange, 200)
      assert.ok(!call.isOver, 'it is answered before anything can have been verified')
      assert.equal(gateway.sent.length, 0, 'it was sent before anything was verified')
      gateway.hold(false)
      shows('VERD-15')
      expectStatus(await call.done, 200)
      assert.equal(gateway.sent.length, 1)
      shows('VRFY-03')
      // Each look at the evidence had one, too.
      assert.ok(gateway.connections > gateway.asked, 'it went over a connection that evidence was read from')
    },
  }),

  'first-verdict-pending': verifying({
    rules: ['VERD-14', 'VERD-16'],
    title: 'A first check that does not end is waited for 15 seconds at the most, and nothing is sent',
    // Beside others: the endpoint has no verdict before either, and whoever changes that runs alone, later.
    isExclusive: false,
    waitsMs: () => limits.verdictWaitMs,
    isRegistered: false,
    async judge(upstream, context) {
      upstream.gateway.hold(true)
      await upstream.register()
      shows('VERD-14')
      const startedMs = performance.now()
      const refused = await nothingSent(upstream, () => upstream.chat())
      const tookMs = performance.now() - startedMs
      shows('VERD-16')
      expectError(refused, 'attestation_failed')
      const { stage, reason } = objectOf(refused)
      assert.ok(grounds.includes(`${stage}/${reason}`), `it is refused at ${stage} for ${reason}`)
      shows('VERD-14')
      assert.ok(tookMs < limits.verdictWaitMs + context.patience(1_000), `it waited ${Math.round(tookMs)} ms`)
      shows('VERD-16')
      assert.ok(!(await upstream.isListed()), 'the model is listed')
      upstream.gateway.hold(false)
    },
  }),

  'foreign-answers': verifying({
    rules: ['VERD-31'],
    title:
      'A 404 over another certificate than an upstream’s cuts no stream and takes nothing from its verdict',
    waitsMs: () => 15_000,
    async judge(upstream) {
      const { gateway } = upstream
      await gateway.backend.play({ rules: [{ chunks: 60, betweenChunksMs: 40 }] })
      const running = await upstream.stream()
      await expectBegun(running)
      await gateway.renewLeaf({ isPublished: false })
      gateway.answer({ status: 404, body: '{}' })
      const { asked } = gateway
      const refused = await nothingSent(upstream, () => upstream.chat())
      expectError(refused, 'attestation_failed')
      expectGround(refused, { stage: 'upstream-tls-fingerprint', reason: 'leaf_mismatch' })
      assert.ok(gateway.asked > asked, 'the evidence was not looked at once more')
      assert.ok(await upstream.isListed(), 'the verdict has gone')
      const { text } = expectStream(await running.done)
      assert.ok(text.endsWith('word60'), 'the stream did not come to its end')
      // And nobody has to act once the stranger has gone.
      await gateway.renewLeaf()
      gateway.answer()
      expectStatus(await upstream.chat(), 200)
    },
  }),

  'key-of-its-own': verifying({
    rules: ['HDR-11'],
    title: 'An upstream gets the key that it asks for, and nothing of the client’s headers',
    async judge(upstream, context) {
      const headers = { cookie: 'session=canary', 'x-canary': 'canary', 'x-proxy-verdict': 'allow' }
      expectStatus(await context.chat({ model: context.model('doubted') }, { headers }), 200)
      const { key } = await context.own()
      const [received] = upstream.gateway.backend.requests()
      assert.equal(received?.headers.authorization, `Bearer ${upstream.apiKey}`)
      const text = JSON.stringify(received.headers)
      assert.doesNotMatch(text, /canary|x-proxy-verdict/, 'a header of the client reached the upstream')
      assert.ok(!text.includes(key), 'the key of the client reached the upstream')
    },
  }),

  'leaf-renewed': verifying({
    rules: ['CONN-05', 'CONN-06'],
    title:
      'An upstream that renews certificate and bundle together is followed without a refusal, and nothing is sent twice',
    async judge(upstream) {
      const { gateway } = upstream
      await gateway.backend.play({ rules: [{ chunks: 30, betweenChunksMs: 40 }] })
      const running = await upstream.stream()
      await expectBegun(running)
      await gateway.renewLeaf()
      await gateway.backend.play({})
      const answers = await Promise.all(Array.from({ length: 5 }, () => upstream.chat()))
      shows('CONN-06')
      for (const answer of answers) expectStatus(answer, 200)
      shows('CONN-05')
      assert.ok(
        expectStream(await running.done).text.endsWith('word30'),
        'the stream did not come to its end',
      )
      shows('CONN-06')
      assert.equal(gateway.sent.length, 6, 'something was sent twice')
    },
  }),

  'leaf-signed-late': verifying({
    rules: ['VERD-19', 'CONN-06'],
    title:
      'Requests that meet the new certificate of an upstream before it has signed for it wait, with nothing sent, and are served',
    waitsMs: () => SPLIT_MS,
    async judge(upstream, context) {
      const { gateway } = upstream
      expectStatus(await upstream.chat(), 200)
      await gateway.renewLeaf({ isPublished: false })
      gateway.drop()
      const asked = [{}, { stream: true }, {}].map((body) => upstream.chat(body))
      shows('CONN-06')
      await context.eventually('the evidence is looked at again', async () => gateway.asked > 2)
      await sleep(SPLIT_MS)
      shows('VERD-19')
      assert.equal(gateway.sent.length, 1, 'something was sent before it was signed for')
      await gateway.publish()
      shows('VERD-19', 'CONN-06')
      for (const answer of await Promise.all(asked)) expectStatus(answer, 200)
      shows('CONN-06')
      assert.equal(gateway.sent.length, 4, 'something was sent twice')
    },
  }),

  'leaf-swapped': verifying({
    rules: ['SRV-17', 'ERR-32'],
    title:
      'A connection to an upstream that shows another certificate than the evidence names is sent nothing: 503 attestation_failed',
    waitsMs: () => 30_000,
    async judge(upstream) {
      const { gateway } = upstream
      expectStatus(await upstream.chat(), 200)
      assert.equal(gateway.sent.length, 1)
      await gateway.renewLeaf({ isPublished: false })
      gateway.drop()
      shows('SRV-17', 'ERR-32')
      for (const stream of [false, true])
        expectError(await nothingSent(upstream, () => upstream.chat({ stream })), 'attestation_failed')
    },
  }),

  'leaf-swapped-chosen': verifying({
    rules: ['VERD-18', 'VERD-19', 'CONN-01', 'VRFY-20', 'ERR-47', 'ERR-40'],
    title:
      'Another certificate is upstream-tls-fingerprint when it was waited for in vain, to be tried again, while the verdict and what runs over the right one go on',
    waitsMs: () => 15_000,
    async judge(upstream) {
      const { gateway } = upstream
      await gateway.backend.play({ rules: [{ chunks: 30, betweenChunksMs: 40 }] })
      const running = await upstream.stream()
      await expectBegun(running)
      await gateway.renewLeaf({ isPublished: false })
      shows('CONN-01')
      const { asked } = gateway
      const refused = await nothingSent(upstream, () => upstream.chat())
      shows('VERD-19')
      expectError(refused, 'attestation_failed')
      shows('ERR-47')
      expectGround(refused, { stage: 'upstream-tls-fingerprint' })
      shows('VRFY-20')
      expectGround(refused, { reason: 'leaf_mismatch' })
      shows('ERR-40')
      assert.equal(refused.headers['x-should-retry'], 'true')
      assert.equal(refused.headers['retry-after'], '1')
      shows('VERD-19')
      assert.ok(gateway.asked > asked, 'the evidence was not looked at once more')
      shows('VERD-18')
      assert.ok(await upstream.isListed(), 'the verdict has gone')
      shows('VERD-19')
      const { text } = expectStream(await running.done)
      assert.ok(text.endsWith('word30'), 'the stream did not come to its end')
    },
  }),

  'no-label': {
    rules: ['MODL-11'],
    title: 'A model that an external upstream serves is listed without endpoint.tee',
    needs: ['key', 'feature:upstreams', 'model:external'],
    async run(context) {
      const id = context.model('external')
      const listed = listedIn(await context.request('listModels')).find((entry) => entry.id === id)
      const alone = await context.request('getModel', { params: { id } })
      expectStatus(alone, 200)
      for (const entry of [listed, objectOf(alone)]) {
        assert.equal(entry?.id, id, 'the model is not listed')
        const { endpoint } = entry
        assert.ok(!isObject(endpoint) || !('tee' in endpoint), 'it has an endpoint.tee')
      }
    },
  },

  'revoked-in-flight': verifying({
    rules: ['VERD-25', 'ERR-41', 'ERR-47'],
    title:
      'A request in flight without a stream is 503 attestation_revoked when the verdict goes, aborted with its prompt counted',
    needs: ['books'],
    async judge(upstream, context) {
      await upstream.gateway.backend.play({ rules: [{ fault: { kind: 'silence' } }] })
      const call = await context.open('createChatCompletion', { body: { model: context.model('doubted') } })
      await context.eventually('it is under way', async () => upstream.gateway.sent.length === 1)
      await upstream.set('denied')
      shows('VERD-25')
      const exchange = await call.done
      expectError(exchange, 'attestation_revoked')
      shows('ERR-47')
      expectGround(exchange, { stage: 'upstream-policy', reason: 'digest_not_pinned' })
      shows('ERR-41')
      assert.equal(exchange.headers['x-should-retry'], 'false')
      shows('VERD-25')
      const record = await expectAborted(context, exchange)
      assert.ok(record.prompt_tokens > 0, 'the prompt is not counted')
      assert.equal(record.completion_tokens, 0)
    },
  }),

  'revoked-in-stream': verifying({
    rules: ['GEN-14', 'GEN-15', 'GEN-16', 'VERD-06', 'ERR-33', 'ERR-34', 'ERR-22', 'ERR-36'],
    title:
      'A verdict that is withdrawn during a stream ends it with attestation_revoked, aborted and metered for what was delivered',
    needs: ['debits'],
    subjects: ['router', 'proxy'],
    async judge(upstream, context) {
      await upstream.gateway.backend.play({
        rules: [{ chunks: 5, fault: { kind: 'stall', afterChunks: 3 } }],
      })
      const call = await upstream.stream()
      await expectBegun(call, 3)
      await upstream.set('denied')
      const exchange = await call.done
      shows('GEN-15', 'VERD-06', 'ERR-34', 'ERR-36')
      const { error, text } = expectFailedStream(exchange)
      shows('VERD-06', 'ERR-33')
      assert.equal(error.code, 'attestation_revoked')
      shows('ERR-22')
      assert.equal(error.type, 'proxy_error')
      shows('GEN-14', 'ERR-34')
      const record = await expectAborted(context, exchange)
      shows('GEN-16', 'ERR-34')
      // How a text is counted is left open: by a byte each at the most.
      const { completion_tokens: tokens } = record
      assert.ok(tokens >= 1 && tokens <= Buffer.byteLength(text), `${tokens} tokens are metered of "${text}"`)
      shows('GEN-16')
      assert.ok(record.prompt_tokens > 0 && record.cost_micros > 0, 'it was not debited')
    },
  }),

  served: {
    rules: ['SRV-16', 'CHAT-08', 'VERD-29'],
    title: 'An own endpoint’s model and an external one’s are both served, each named by its own endpoint',
    needs: ['generation', 'feature:upstreams', 'model:external', 'endpoint:external', 'endpoint:own'],
    async run(context) {
      const { own, external } = context.target.endpoints
      const outside = await context.chat({ model: context.model('external') })
      shows('SRV-16')
      const { usage, model } = expectChat(outside)
      shows('CHAT-08')
      assert.equal(usage.endpoint, external, 'an external endpoint is not told by its name')
      shows('VERD-29')
      assert.equal(model, context.model('external'), 'the model is not called as the client calls it')
      shows('SRV-16')
      const inside = expectChat(await context.chat()).usage.endpoint
      assert.ok(await isEndpoint(context, own ?? '', inside), `${inside} is not ${own}`)
    },
  },

  shared: verifying({
    rules: ['VERD-27'],
    title: 'Every router attests for itself, and a denial or a disabling reaches all of them within a second',
    needs: ['sibling'],
    async judge(upstream, context) {
      const { siblingUrl = '' } = context.target
      expectStatus(await upstream.chat(), 200)
      await upstream.untilServed(siblingUrl)
      assert.ok(upstream.gateway.asked >= 2, 'one of the routers has not looked itself')
      for (const [state, code] of [
        ['denied', 'attestation_failed'],
        ['disabled', 'model_not_found'],
      ] as const) {
        await upstream.set(state)
        const sinceMs = performance.now()
        await upstream.untilListed(false, siblingUrl)
        const tookMs = performance.now() - sinceMs
        assert.ok(tookMs < context.patience(1_000), `it took ${Math.round(tookMs)} ms`)
        await context.eventually('the other router knows why', async () => {
          const refused = await nothingSent(upstream, () => upstream.chat({}, siblingUrl))
          return refused.status >= 400 && codeIn(refused) === code
        })
        await upstream.set('admitted')
        await upstream.untilListed(true, siblingUrl)
      }
    },
  }),

  stage: verifying({
    rules: ['ERR-47', 'ERR-41', 'VERD-16', 'VRFY-22'],
    title:
      'The router names the stage at which an upstream fails with upstream- before it, and says not to try again',
    isRegistered: false,
    async judge(upstream, context) {
      const { gateway } = upstream
      for (const [pins, reason] of [
        [[], 'no_pins'],
        [[`sha256/${'A'.repeat(43)}`], 'digest_not_pinned'],
      ] as const) {
        shows()
        const asked = gateway.asked
        await upstream.register({ pins })
        await context.eventually('the evidence is read', async () => gateway.asked > asked)
        shows('VERD-16')
        const refused = await nothingSent(upstream, () => upstream.chat())
        expectError(refused, 'attestation_failed')
        shows('ERR-47')
        expectGround(refused, { stage: 'upstream-policy' })
        shows('VRFY-22')
        expectGround(refused, { reason })
        shows('ERR-41')
        assert.equal(refused.headers['x-should-retry'], 'false')
      }
      shows('VERD-16')
      // Tried again by itself, once the present deployment is approved.
      await upstream.register()
      await upstream.untilListed(true)
    },
  }),

  states: verifying({
    rules: ['VERD-01', 'VERD-02', 'VERD-03', 'SRV-18', 'EP-06'],
    title:
      'A model is listed while its endpoint is admitted, and not while it is pending, denied or disabled',
    subjects: ['router', 'proxy'],
    // How often it looks before the model is listed is chance.
    isCompared: false,
    isRegistered: false,
    async judge(upstream) {
      upstream.gateway.hold(true)
      await upstream.register()
      shows('VERD-01', 'VERD-03', 'SRV-18', 'EP-06')
      assert.ok(!(await upstream.isListed()), 'a pending endpoint’s model is listed')
      upstream.gateway.hold(false)
      shows('VERD-01', 'VERD-03')
      await upstream.untilListed(true)
      expectStatus(await upstream.chat(), 200)
      for (const state of ['denied', 'disabled'] as const) {
        await upstream.set(state)
        shows(state === 'disabled' ? 'VERD-02' : 'VERD-01', 'VERD-03', 'SRV-18', 'EP-06')
        assert.ok(!(await upstream.isListed()), `a ${state} endpoint’s model is listed`)
      }
      shows('VERD-01', 'VERD-03')
      await upstream.set('admitted')
      assert.ok(await upstream.isListed(), 'an admitted endpoint’s model is not listed')
      expectStatus(await upstream.chat(), 200)
    },
  }),

  sticky: verifying({
    rules: ['VERD-21', 'VERD-20'],
    title:
      'An admitted upstream that deploys what is not approved is denied, and stays so until an administrator acts',
    async judge(upstream) {
      const { gateway } = upstream
      expectStatus(await upstream.chat(), 200)
      await gateway.deploy('another')
      await gateway.renewLeaf()
      gateway.drop()
      const refuse = async () => {
        const refused = await nothingSent(upstream, () => upstream.chat())
        assert.ok(refused.status >= 400, `it is answered ${refused.status}`)
        expectGround(refused, { stage: 'upstream-policy', reason: 'digest_not_pinned' })
        return refused
      }
      // It was let in before its connection showed what has changed, so either code would tell the truth.
      shows('VERD-20')
      await refuse()
      shows('VERD-21')
      await gateway.deploy(FIRST_REVISION)
      expectError(await refuse(), 'attestation_failed')
      await sleep(STICKY_PAUSE_MS)
      expectError(await refuse(), 'attestation_failed')
      assert.ok(!(await upstream.isListed()), 'the model is listed again, though nobody has acted')
      await upstream.set('admitted')
      expectStatus(await upstream.chat(), 200)
    },
  }),

  unapproved: verifying({
    rules: ['VERD-05'],
    title: 'To an upstream that runs what nobody has approved nothing of a request is sent',
    isRegistered: false,
    async judge(upstream, context) {
      shows()
      await upstream.register({ pins: [`sha256/${'A'.repeat(43)}`] })
      await context.eventually('the evidence is read', async () => upstream.gateway.asked > 0)
      shows('VERD-05')
      await nothingSent(upstream, () => upstream.chat())
    },
  }),

  'verdict-expired': verifying({
    rules: ['VERD-08', 'VERD-09', 'VERD-17', 'VERD-22', 'ERR-40', 'ERR-48'],
    title:
      'A verdict on an upstream is renewed after 4 minutes, outlives silence for 10, and has then expired for what is new and what runs',
    needs: ['sibling', 'siblingControl'],
    async judge(upstream, context) {
      const { siblingUrl: baseUrl = '' } = context.target
      const { gateway } = upstream
      await upstream.untilServed(baseUrl)
      try {
        gateway.hold(true)
        const { asked } = gateway
        await context.siblingControl('/advance', { milliseconds: RENEWAL_MS + 1_000, clock: 'wall' })
        shows('VERD-08')
        await context.eventually('the evidence is looked at', async () => gateway.asked > asked, 5_000)
        shows('VERD-17')
        expectStatus(await upstream.chat({}, baseUrl), 200)
        shows()
        await gateway.backend.play({ rules: [{ chunks: 5, fault: { kind: 'stall', afterChunks: 1 } }] })
        const running = await context.stream({ model: context.model('doubted') }, { baseUrl })
        await expectBegun(running)
        await context.siblingControl('/advance', { milliseconds: LIFE_MS - RENEWAL_MS, clock: 'wall' })
        const ended = await running.done
        shows('VERD-08', 'VERD-09', 'VERD-22')
        const refused = await nothingSent(upstream, () => upstream.chat({}, baseUrl))
        expectError(refused, 'attestation_failed')
        shows('ERR-48')
        expectGround(refused, { stage: 'upstream-attesting', reason: 'verdict_expired' })
        shows('ERR-40')
        assert.equal(refused.headers['retry-after'], '1')
        shows('VERD-22')
        assert.equal(expectFailedStream(ended).error.code, 'attestation_revoked')
        gateway.hold(false)
        await gateway.backend.play({})
        // That was no denial, so a check that passes admits again.
        await upstream.untilListed(true, baseUrl)
      } finally {
        gateway.hold(false)
        await context.siblingControl('/stop')
        await context.siblingControl('/start')
      }
    },
  }),
} satisfies Topic

/** A scenario that judges the router as a verifier, by an upstream that is the scenario's own. It runs alone. */
function verifying({ judge, isRegistered = true, needs = [], ...description }: Verification): Definition {
  return {
    subjects: ['router'],
    isExclusive: true,
    isNaming: description.rules.length === 1 || namesRules(judge),
    ...description,
    needs: [...upstreamNeeds, ...needs],
    run: (context) => withUpstream(context, (upstream) => judge(upstream, context), { isRegistered }),
  }
}
