import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Collector, startCollector } from '../server/tracing/testing/collector.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { type Account, chat } from './service.ts'
import { startWorld, UPSTREAM, type World } from './upstream.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const PROMPT = 'CANARYPROMPT-5d1c'
const ANSWER = 'CANARYANSWER-9e2b'
const kinds = { internal: 1, server: 2, client: 3 }

let collector: Collector
let world: World
let account: Account

beforeAll(async () => {
  collector = await startCollector()
  world = await startWorld({ traces: { url: collector.url, ratio: 0, authorization: undefined } })
  await world.untilListed(true)
  account = await world.createAccount(5_000_000n)
  await world.backend.play({ rules: [{ name: 'refuse', status: 500 }, { chunks: [ANSWER, ANSWER] }] })
})

beforeEach(() => world.backend.clearRequests())

afterAll(async () => {
  await world.stop()
  await collector.close()
})

const withKey = (apiKey: string, headers: Record<string, string>) => {
  return { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers }
}

const asking = (text = '') => ({ messages: [{ role: 'user', content: `${PROMPT} ${text}` }] })

/** Every request of these tests has a trace of its own. */
let traces = 0
function newTrace(isSampled = true) {
  traces += 1
  const traceId = `${TRACE.slice(0, -4)}${String(traces).padStart(4, '0')}`
  const headers = {
    traceparent: `00-${traceId}-${CALLER}-0${isSampled ? 1 : 0}`,
    tracestate: `vendor=${PROMPT}`,
    baggage: `user=${PROMPT}`,
  }
  return { traceId, headers }
}

async function ask(apiKey: string, body: object, headers: Record<string, string>) {
  const response = await chat(world, apiKey, { ...asking(), ...body }, { headers: withKey(apiKey, headers) })
  return { status: response.status, text: await response.text() }
}

/** The spans of one trace by their names, once so many have come. */
async function spansOf(traceId: string, count: number) {
  const found = () => collector.spans.filter((span) => span.traceId === traceId)
  await vi.waitFor(() => expect(found().map(({ name }) => name)).toHaveLength(count))
  return Object.fromEntries(found().map((span) => [span.name, span]))
}

test('a stream’s spans tell of the request, its admission, the call, its first token and the settlement', async () => {
  const { traceId, headers } = newTrace()
  const { status, text } = await ask(account.apiKey, { stream: true }, headers)
  expect(status).toBe(200)
  const id = /"id":"(gen-[^"]+)"/.exec(text)![1]!
  const spans = await spansOf(traceId, 5)
  const request = spans['POST /v1/chat/completions']!
  const call = spans['chat demo/tiny-chat']!
  expect(request).toMatchObject({
    kind: kinds.server,
    parentSpanId: CALLER,
    isError: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'confidential-inference-router',
      'gen_ai.response.model': 'demo/tiny-chat',
      'gen_ai.response.id': id,
      'router.workspace.id': account.workspaceId,
      'router.key.id': account.keyId,
    },
  })
  expect(call).toMatchObject({
    kind: kinds.client,
    parentSpanId: request.spanId,
    attributes: {
      'gen_ai.request.model': 'demo/tiny-chat',
      'router.backend': '0',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(world.backend.url).port),
    },
  })
  expect(spans['router.first_token']).toMatchObject({ kind: kinds.internal, parentSpanId: call.spanId })
  expect(spans['router.admission']).toMatchObject({ kind: kinds.internal, parentSpanId: request.spanId })
  expect(spans['router.settlement']).toMatchObject({
    parentSpanId: request.spanId,
    attributes: { 'gen_ai.response.id': id, 'gen_ai.usage.output_tokens': expect.any(Number) },
  })
  for (const { durationNs } of Object.values(spans)) {
    expect(durationNs).toBeGreaterThanOrEqual(0n)
    expect(durationNs).toBeLessThanOrEqual(request.durationNs)
  }
})

test('a backend is sent a traceparent of the router’s own span, and no tracestate and no baggage', async () => {
  for (const isSampled of [true, false]) {
    world.backend.clearRequests()
    const { traceId, headers } = newTrace(isSampled)
    expect((await ask(account.apiKey, {}, headers)).status).toBe(200)
    const [received] = world.backend.requests()
    expect(received!.headers.tracestate).toBeUndefined()
    expect(received!.headers.baggage).toBeUndefined()
    const [version, trace, span, flags] = String(received!.headers.traceparent).split('-')
    expect({ version, trace, flags }).toEqual({
      version: '00',
      trace: traceId,
      flags: isSampled ? '01' : '00',
    })
    expect(span).not.toBe(CALLER)
    if (isSampled) expect((await spansOf(traceId, 4))['chat demo/tiny-chat']!.spanId).toBe(span)
  }
})

test('an upstream is sent one, too, and the wait for its verdict and each check of it are spans', async () => {
  const { traceId, headers } = newTrace()
  const { status } = await ask(world.apiKey, { model: 'vendor/large', ...asking('up') }, headers)
  expect(status).toBe(200)
  const spans = await spansOf(traceId, 5)
  expect(spans['router.attestation']!.attributes).toEqual({ 'router.upstream': UPSTREAM })
  expect(spans['chat vendor/large']!.attributes).toMatchObject({
    'router.backend': UPSTREAM,
    'server.address': 'vendor.localhost',
  })
  const [received] = world.backend.requests(`${PROMPT} up`)
  expect(String(received!.headers.traceparent)).toContain(`${traceId}-${spans['chat vendor/large']!.spanId}`)
  const checks = collector.spans.filter(
    ({ name, parentSpanId }) => name === 'router.attestation' && parentSpanId === undefined,
  )
  const { digest } = await world.gateway.control('/state')
  expect(checks.at(-1)!.attributes).toEqual({ 'router.upstream': UPSTREAM, 'router.evidence.digest': digest })
})

test('a refusal is a span with its code, and what a backend fails at is one with its cause', async () => {
  const stranger = newTrace()
  expect((await ask(`${account.apiKey.slice(0, -1)}_`, {}, stranger.headers)).status).toBe(401)
  const refused = await spansOf(stranger.traceId, 1)
  expect(refused['POST /v1/chat/completions']).toMatchObject({
    isError: false,
    attributes: { 'http.response.status_code': 401, 'error.type': 'invalid_api_key' },
  })
  const failing = newTrace()
  expect((await ask(account.apiKey, asking('[script:refuse]'), failing.headers)).status).toBe(502)
  const failed = await spansOf(failing.traceId, 4)
  expect(failed['chat demo/tiny-chat']).toMatchObject({
    isError: true,
    attributes: { 'error.type': 'backend_unavailable' },
  })
  expect(failed['POST /v1/chat/completions']!.isError).toBe(true)
})

test('of the requests without a traceparent a configured part is recorded, here none', async () => {
  const before = collector.spans.length
  expect((await ask(account.apiKey, asking('alone'), {})).status).toBe(200)
  const [received] = world.backend.requests(`${PROMPT} alone`)
  expect(received!.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  const { traceId, headers } = newTrace()
  await ask(account.apiKey, {}, headers)
  await spansOf(traceId, 4)
  expect(collector.spans.slice(before).filter((span) => span.traceId !== traceId)).toEqual([])
})

test('spans hold no key, no prompt and no answer, and are nothing but OTLP', async () => {
  const written = collector.bodies.join('\n')
  expect(collector.spans.length).toBeGreaterThan(10)
  for (const secret of [PROMPT, ANSWER, account.apiKey, world.apiKey]) expect(written).not.toContain(secret)
  expect(collector.mistakes).toEqual([])
  expect(collector.resource).toMatchObject({ 'service.name': 'confidential-inference-router' })
})

test('what became of the spans is counted, and a collector that is away ends no request', async () => {
  const sent = { outcome: 'sent' }
  expect(valueIn(await readMetrics(world.adminUrl), 'router_traces_spans_total', sent)).toBeGreaterThan(10)
  collector.answer = 'never'
  const { headers } = newTrace()
  for (let index = 0; index < 20; index++) {
    expect((await ask(account.apiKey, { stream: index % 2 === 0 }, headers)).status).toBe(200)
  }
  expect((await world.verify()).differences).toEqual([])
  collector.answer = 200
})
