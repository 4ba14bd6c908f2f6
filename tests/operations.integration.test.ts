import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Log, LogFields } from '../server/log.ts'
import { readMetrics, type Sample, valueIn } from './metrics.ts'
import { type Account, chat, type Service, startService } from './service.ts'

interface Line extends LogFields {
  readonly level: string
  readonly message: string
}

const lines: Line[] = []
const VERSION = expect.stringMatching(/^[0-9a-f]{12}$/)
const write = (level: string) => (message: string, fields?: LogFields) => {
  lines.push({ level, message, ...fields })
}
const log: Log = { info: write('info'), warn: write('warn'), error: write('error') }

let service: Service
let account: Account

beforeAll(async () => {
  service = await startService({
    log,
    timers: { idleMs: 5_000, stalledClientMs: 1_500 },
    meterTimers: { leaseMs: 4_000, renewMs: 500, outageMs: 5_000 },
  })
  account = await service.createAccount(5_000_000n)
})

afterEach(async () => {
  await service.server.embedded.ensureRunning()
  await vi.waitFor(async () => expect((await admin('/readyz')).status).toBe(200), {
    timeout: 30_000,
    interval: 50,
  })
  lines.length = 0
  await service.backend.play({})
})

afterAll(() => service.stop())

const MODEL = { gen_ai_request_model: 'demo/tiny-chat' }
const say = (script: string) => ({ messages: [{ role: 'user', content: `Hello [script:${script}]` }] })
const admin = async (path: string) => {
  const response = await fetch(`${service.adminUrl}${path}`)
  return { status: response.status, body: (await response.json()) as { reasons?: string[] } }
}

/** By how much one sample has grown since `before`. */
async function growth(before: readonly Sample[], name: string, labels: Record<string, string>) {
  return (
    (valueIn(await readMetrics(service.adminUrl), name, labels) ?? 0) - (valueIn(before, name, labels) ?? 0)
  )
}

test('health, readiness and metrics have a listener of their own, and the API knows nothing of them', async () => {
  expect(await admin('/healthz')).toEqual({ status: 200, body: { status: 'ok' } })
  expect(await admin('/readyz')).toEqual({ status: 200, body: { status: 'ready', config_version: VERSION } })
  expect((await fetch(`${service.adminUrl}/metrics`)).headers.get('content-type')).toContain('text/plain')
  expect((await admin('/v1/models')).status).toBe(404)
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    expect((await fetch(`${service.baseUrl.replace(/\/v1$/, '')}${path}`)).status).toBe(404)
  }
})

test('a router that has lost its database is not ready, then has no lease either, and comes back by itself', async () => {
  await service.server.embedded.stop()
  expect(await admin('/readyz')).toEqual({
    status: 503,
    body: { status: 'not_ready', reasons: ['database_unreachable'], config_version: VERSION },
  })
  await vi.waitFor(
    async () =>
      expect((await admin('/readyz')).body.reasons).toEqual(['lease_lapsed', 'database_unreachable']),
    { timeout: 30_000, interval: 50 },
  )
  expect((await admin('/healthz')).status).toBe(200)
  const samples = await readMetrics(service.adminUrl)
  expect(valueIn(samples, 'router_holds_open')).toBeUndefined()
  expect(valueIn(samples, 'router_settlements_waiting')).toBe(0)
  await service.server.embedded.ensureRunning()
  await vi.waitFor(async () => expect((await admin('/readyz')).status).toBe(200), {
    timeout: 30_000,
    interval: 50,
  })
})

test('settlements that wait for the database are the ledger’s lag', async () => {
  const response = await chat(service, account.apiKey, { ...say('slow'), stream: true })
  await service.server.embedded.stop()
  await vi.waitFor(
    async () => expect(valueIn(await readMetrics(service.adminUrl), 'router_settlements_waiting')).toBe(1),
    { timeout: 30_000, interval: 20 },
  )
  await service.server.embedded.ensureRunning()
  await response.text()
  await vi.waitFor(async () => {
    const samples = await readMetrics(service.adminUrl)
    expect(valueIn(samples, 'router_settlements_waiting')).toBe(0)
    expect(valueIn(samples, 'router_holds_open')).toBe(0)
  }, 30_000)
})

test('an answer is counted with its duration, first token, tokens and overhead', async () => {
  const before = await readMetrics(service.adminUrl)
  const askedAtMs = performance.now()
  await (await chat(service, account.apiKey, { stream: true })).text()
  const seenSeconds = (performance.now() - askedAtMs) / 1_000
  const grown = (name: string, labels: Record<string, string> = {}) =>
    growth(before, name, { ...MODEL, ...labels })
  expect(await grown('gen_ai_server_request_duration_count', { error_type: '' })).toBe(1)
  expect(await grown('gen_ai_server_time_to_first_token_count')).toBe(1)
  expect(await grown('gen_ai_client_token_usage_count', { gen_ai_token_type: 'input' })).toBe(1)
  expect(await grown('gen_ai_client_token_usage_sum', { gen_ai_token_type: 'output' })).toBeGreaterThan(20)
  const chatting = { gen_ai_operation_name: 'chat' }
  expect(await growth(before, 'router_overhead_count', chatting)).toBe(1)
  const overhead = await growth(before, 'router_overhead_sum', chatting)
  expect(overhead).toBeGreaterThan(0)
  // It has the settlement in it, which comes before the client sees the end, and after the answer's own duration.
  expect(overhead).toBeLessThan(seenSeconds)
})

test('a finished answer without usage raises a metric', async () => {
  const before = await readMetrics(service.adminUrl)
  await service.backend.play({ rules: [{ usage: 'none' }] })
  expect((await chat(service, account.apiKey, {})).status).toBe(200)
  expect(await growth(before, 'router_generations_without_usage_total', MODEL)).toBe(1)
})

test.each([
  ['client_left', 'long', {}],
  ['backend_unavailable', 'cut', {}],
  ['backend_unavailable', 'stall', {}],
  ['backend_error', 'garbage', {}],
  ['backend_error', 'html', { stream: false }],
])('an aborted generation is counted under its cause: %s (%s)', async (cause, script, more) => {
  const before = await readMetrics(service.adminUrl)
  const left = new AbortController()
  const response = await chat(
    service,
    account.apiKey,
    { ...say(script), stream: true, ...more },
    { signal: left.signal },
  )
  if (cause === 'client_left') {
    await response.body!.getReader().read()
    left.abort()
  } else {
    await response.text()
  }
  await vi.waitFor(async () =>
    expect(await growth(before, 'router_generations_aborted_total', { ...MODEL, cause })).toBe(1),
  )
})

test('every gauge of what is under way is 0 again when nothing is', async () => {
  const left = new AbortController()
  await service.backend.play({ rules: [{ marker: 'endless', chunks: 400, betweenChunksMs: 100 }] })
  const running = Array.from({ length: 20 }, async () => {
    const init = { signal: left.signal }
    const body = { stream: true, messages: [{ role: 'user', content: 'endless' }] }
    const response = await chat(service, account.apiKey, body, init)
    expect(response.status).toBe(200)
    const reader = response.body!.getReader()
    await reader.read()
    return reader
  })
  const readers = await Promise.all(running)
  const busy = await readMetrics(service.adminUrl)
  expect(valueIn(busy, 'router_generations_running')).toBe(20)
  expect(valueIn(busy, 'router_holds_open')).toBe(20)
  expect(valueIn(busy, 'http_server_active_requests')).toBe(20)
  expect(valueIn(busy, 'router_backends_running', MODEL)).toBe(20)
  left.abort()
  await Promise.allSettled(readers.map((reader) => reader.closed))
  await vi.waitFor(async () => {
    const idle = await readMetrics(service.adminUrl)
    expect(valueIn(idle, 'router_generations_running')).toBe(0)
    expect(valueIn(idle, 'router_holds_open')).toBe(0)
    expect(valueIn(idle, 'router_holds_oldest_age')).toBe(0)
    expect(valueIn(idle, 'http_server_active_requests')).toBe(0)
    expect(valueIn(idle, 'router_backends_running', MODEL)).toBe(0)
  }, 30_000)
})

test('labels come from the configuration and the contract, never from what a caller writes', async () => {
  await (await chat(service, account.apiKey, { model: 'canary-model' })).text()
  await (await fetch(`${service.baseUrl}/canary-path?canary=1`)).text()
  await (await fetch(`${service.baseUrl}/models/canary`, { headers: { 'x-request-id': 'canary-id' } })).text()
  const text = await (await fetch(`${service.adminUrl}/metrics`)).text()
  expect(text).not.toContain('canary')
  expect(text).toContain(
    'http_route="/v1/models/{id}",http_response_status_code="401",error_type="invalid_api_key"',
  )
})

test('each request leaves one line: ids, route, status, time, and nothing that anybody wrote', async () => {
  const headers = { authorization: `Bearer ${account.apiKey}`, 'x-request-id': 'trace-1' }
  const answer = await chat(service, account.apiKey, { user: 'canary' }, { headers })
  await answer.text()
  await (await chat(service, account.apiKey, { model: 'canary-model' })).text()
  await (await fetch(`${service.baseUrl}/canary-path`)).text()
  const finished = () => lines.filter(({ message }) => message === 'request finished')
  await vi.waitFor(() => expect(finished()).toHaveLength(3))
  expect(finished()).toMatchObject([
    {
      level: 'info',
      requestId: 'trace-1',
      generationId: answer.headers.get('x-router-generation-id'),
      method: 'POST',
      route: '/v1/chat/completions',
      status: 200,
      durationMs: expect.any(Number),
    },
    { route: '/v1/chat/completions', status: 404, code: 'model_not_found' },
    { method: 'GET', status: 404, code: 'not_found' },
  ])
  expect(finished()[2]!.route).toBeUndefined()
  expect(finished()[0]!.isCut).toBeUndefined()
  expect(JSON.stringify(lines)).not.toMatch(/canary|tiny-chat|sk-tee|Hello/)
})

test.each([
  ['a backend failed', { rules: [{ fault: { kind: 'cut', afterChunks: 2 } }] }],
  ['a finished answer came without usage', { rules: [{ usage: 'none' }] }],
] as const)('a line that says “%s” joins that of its request by both ids', async (message, script) => {
  await service.backend.play(script)
  const headers = { authorization: `Bearer ${account.apiKey}`, 'x-request-id': 'trace-2' }
  const response = await chat(service, account.apiKey, { stream: true }, { headers })
  await response.text()
  const ids = { requestId: 'trace-2', generationId: response.headers.get('x-router-generation-id') }
  const about = () =>
    lines.filter((line) => line.requestId === ids.requestId || line.generationId === ids.generationId)
  await vi.waitUntil(() => about().some((line) => line.message === 'request finished'))
  expect(about()).toMatchObject([
    { message, ...ids },
    { message: 'request finished', ...ids },
  ])
})

test('an answer that its client did not wait for leaves its line too, and says so', async () => {
  const left = new AbortController()
  const response = await chat(
    service,
    account.apiKey,
    { ...say('long'), stream: true },
    { signal: left.signal },
  )
  await response.body!.getReader().read()
  left.abort()
  await vi.waitFor(() => expect(lines.filter(({ isCut }) => isCut)).toHaveLength(1))
  expect(lines.find(({ isCut }) => isCut)).toMatchObject({ status: 200, message: 'request finished' })
})

test('a 500 is logged with its cause, which its caller is not told', async () => {
  await service.server.embedded.stop()
  const response = await chat(service, account.apiKey, {}, {})
  expect(response.status).toBe(500)
  const { error } = (await response.json()) as { error: { message: string } }
  expect(error).toEqual({ message: expect.any(String), type: 'server_error', code: 'internal' })
  const failed = lines.find(({ message }) => message === 'request failed')
  expect(failed).toMatchObject({
    level: 'error',
    requestId: response.headers.get('x-request-id'),
    error: expect.any(Error),
  })
  expect(error.message).not.toContain((failed!.error as Error).message)
})
