import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { postEntry } from '../server/metering/ledger.ts'
import { createKey } from '../server/store/keys.ts'
import { type Answer, type Browser, openBrowser } from './browser.ts'
import { startTestGateway, type TestGateway } from './gateway.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { chat, demoModel, type Service, startService } from './service.ts'

let gateway: TestGateway
let service: Service

beforeAll(async () => {
  gateway = await startTestGateway('http://127.0.0.1:1')
  service = await startService({
    console: {},
    trustedProxies: ['127.0.0.1'],
    endpoints: [gateway.endpoint],
    models: (url) => [
      demoModel(url, { endpoint: gateway.endpoint }),
      demoModel(url, { id: 'demo/other', endpoint: gateway.endpoint }),
    ],
  })
})

afterAll(async () => {
  await service.stop()
  await gateway.close()
})

let people = 0

/** Somebody who has just signed in, from an address of their own, with some credit. */
async function somebody(): Promise<{ browser: Browser; workspaceId: string; email: string }> {
  people++
  const email = `somebody-${people}@example.com`
  const browser = openBrowser(service, `192.0.2.${people}`)
  const { body } = await browser.signIn(email)
  const workspaceId: string = body.me.workspace.id
  await postEntry(service.sql, { workspaceId, kind: 'top_up', amountMicros: 5_000_000n, description: 'Test' })
  return { browser, workspaceId, email }
}

async function makeKey(browser: Browser, settings: object = {}): Promise<{ id: string; api_key: string }> {
  const { status, body } = await browser.call('POST', '/keys', { name: 'laptop', ...settings })
  expect(status).toBe(201)
  return body
}

/** Sends a whole request and reads its answer. */
async function ask(apiKey: string, body: object = {}): Promise<Response> {
  const answer = await chat(service, apiKey, { ...body })
  await answer.text()
  return answer
}

function fetchAs({ cookies }: Browser, path: string, init: RequestInit = {}): Promise<Response> {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  return fetch(`${service.consoleUrl}/console/api${path}`, { ...init, headers: { cookie } })
}

test('a key is made, its text is shown once, it serves, and is refused from the request after its revocation', async () => {
  const { browser } = await somebody()
  const made = await makeKey(browser, { model_scope: ['demo/tiny-chat'], spend_limit_micros: 1_000_000 })
  expect(made).toMatchObject({
    name: 'laptop',
    state: 'active',
    model_scope: ['demo/tiny-chat'],
    spend_limit_micros: 1_000_000,
    spent_micros: 0,
  })
  expect((await ask(made.api_key)).status).toBe(200)
  const listed = await browser.call('GET', '/keys')
  expect(JSON.stringify(listed.body)).not.toContain(made.api_key)
  expect(listed.body.data[0].spent_micros).toBeGreaterThan(0)

  const changed = await browser.call('PATCH', `/keys/${made.id}`, {
    name: '<b>=1+1',
    model_scope: null,
    expires_at: '2036-01-01T00:00:00Z',
  })
  expect(changed).toMatchObject({
    status: 200,
    body: {
      name: '<b>=1+1',
      model_scope: null,
      spend_limit_micros: 1_000_000,
      expires_at: '2036-01-01T00:00:00.000Z',
    },
  })

  const revoked = await browser.call('DELETE', `/keys/${made.id}`)
  expect(revoked).toMatchObject({ status: 200, body: { state: 'revoked' } })
  expect((await ask(made.api_key)).status).toBe(401)
  expect((await browser.call('DELETE', `/keys/${made.id}`)).body).toEqual(revoked.body)
  const late = await browser.call('PATCH', `/keys/${made.id}`, { name: 'late' })
  expect(late).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  expect((await browser.call('GET', '/keys')).body.data[0].name).toBe('<b>=1+1')
})

test.each([
  ['nothing', {}, 'missing_field'],
  ['an empty name', { name: '' }, 'unsupported_parameter'],
  ['a name of 65 characters', { name: 'x'.repeat(65) }, 'unsupported_parameter'],
  ['no models', { name: 'x', model_scope: [] }, 'unsupported_parameter'],
  ['a limit below zero', { name: 'x', spend_limit_micros: -1 }, 'unsupported_parameter'],
  ['an end that no clock shows', { name: 'x', expires_at: '2026-12-31T23:59:60Z' }, 'unsupported_parameter'],
  ['an end before all time', { name: 'x', expires_at: '0000-01-01T00:00:00Z' }, 'unsupported_parameter'],
  ['a text of its own', { name: 'x', api_key: 'sk-tee-v1-mine' }, 'unsupported_parameter'],
])('a key with %s is refused, and none is made', async (_, settings, code) => {
  const { browser } = await somebody()
  const { status, body } = await browser.call('POST', '/keys', settings)
  expect([status, body.error.code]).toEqual([400, code])
  expect((await browser.call('GET', '/keys')).body.data).toEqual([])
})

test('keys are paged, the newest first, while others are added', async () => {
  const { browser } = await somebody()
  const ids: string[] = []
  for (let count = 0; count < 5; count++) ids.unshift((await makeKey(browser)).id)
  const first = await browser.call('GET', '/keys?limit=2')
  await makeKey(browser)
  const second = await browser.call('GET', `/keys?limit=2&after=${first.body.next}`)
  const third = await browser.call('GET', `/keys?limit=2&after=${second.body.next}`)
  const shown = [first, second, third].flatMap(({ body }) => body.data.map(({ id }: { id: string }) => id))
  expect(shown).toEqual(ids)
  expect(third.body.next).toBeNull()
})

test('what belongs to another workspace is not found, as what never was', async () => {
  const [one, other] = [await somebody(), await somebody()]
  const key = await makeKey(one.browser)
  await ask(key.api_key)
  const { body } = await one.browser.call('GET', '/requests')
  const requestId: string = body.data[0].id
  const unknownRequest = `gen-${'0'.repeat(26)}`
  const unknownKey = `key_${'0'.repeat(26)}`
  for (const [method, foreign, unknown, sent] of [
    ['GET', `/requests/${requestId}`, `/requests/${unknownRequest}`, undefined],
    ['PATCH', `/keys/${key.id}`, `/keys/${unknownKey}`, { name: 'mine' }],
    ['DELETE', `/keys/${key.id}`, `/keys/${unknownKey}`, undefined],
  ] as const) {
    const [denied, absent] = [
      await other.browser.call(method, foreign, sent),
      await other.browser.call(method, unknown, sent),
    ]
    expect(denied.status).toBe(404)
    expect(denied.body).toEqual(absent.body)
  }
  expect((await ask(key.api_key)).status).toBe(200)
  expect((await other.browser.call('GET', '/requests')).body).toEqual({ data: [], next: null })
  expect((await other.browser.call('GET', `/requests?key=${key.id}`)).body.data).toEqual([])
  expect((await other.browser.call('GET', '/credits')).body).toMatchObject({ balance_micros: 5_000_000 })
  expect((await other.browser.call('GET', '/usage')).body.points).toEqual([])
  expect(await (await fetchAs(other.browser, '/requests.csv')).text()).not.toContain('gen-')
})

/** Reads an event stream of the console from now on. */
async function follow(browser: Browser) {
  const events: { event: string; data: string }[] = []
  const leave = new AbortController()
  const response = await fetchAs(browser, '/requests/live', { signal: leave.signal })
  const ended = (async () => {
    let text = ''
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      const parts = text.split('\n\n')
      text = parts.pop()!
      for (const part of parts) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? []
        if (event !== undefined && data !== undefined) events.push({ event, data })
      }
    }
  })()
  ended.catch(() => undefined)
  const rows = () => events.filter(({ event }) => event === 'request').map(({ data }) => JSON.parse(data))
  const balances = () => events.filter(({ event }) => event === 'balance').map(({ data }) => JSON.parse(data))
  return { response, events, rows, balances, ended, leave: () => leave.abort() }
}

test('a request is a row while its stream runs, and ends with the nine values of its record', async () => {
  const { browser } = await somebody()
  const key = await makeKey(browser)
  const live = await follow(browser)
  expect(live.response.headers.get('content-type')).toBe('text/event-stream')
  expect(live.response.headers.get('cache-control')).toBe('no-store')
  await vi.waitUntil(() => live.balances().length > 0)
  expect(live.events[0]).toEqual({ event: 'balance', data: '{"balance_micros":5000000,"held_micros":0}' })

  await service.backend.play({ rules: [{ chunks: 30, betweenChunksMs: 200 }] })
  const openai = new OpenAI({ baseURL: service.baseUrl, apiKey: key.api_key })
  const stream = await openai.chat.completions.create({
    model: 'demo/tiny-chat',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
  })
  let id = ''
  let hasEnded = false
  const reading = (async () => {
    for await (const chunk of stream) id = chunk.id
    hasEnded = true
  })()
  await vi.waitUntil(() => live.rows().length > 0)
  expect(hasEnded).toBe(false)
  expect(live.rows()[0]).toMatchObject({
    id,
    status: 'running',
    cost_micros: null,
    key: { id: key.id, name: 'laptop' },
  })
  const page = await browser.call('GET', '/requests')
  expect(page.body.data[0]).toMatchObject({ id, status: 'running' })
  const running = await browser.call('GET', `/requests/${id}`)
  expect(running.body).toMatchObject({
    status: 'running',
    price: null,
    ledger_id: null,
    timings: { end_ms: null },
  })
  await reading
  await service.backend.play({ rules: [] })
  await vi.waitUntil(() => live.rows().at(-1)?.status === 'ok')

  const row = live.rows().at(-1)
  const record = await (
    await fetch(`${service.baseUrl}/generation?id=${id}`, {
      headers: { authorization: `Bearer ${key.api_key}` },
    })
  ).json()
  const { data } = record as { data: Record<string, unknown> }
  expect(row).toEqual({
    id,
    created_at: data.created_at,
    model: data.model,
    key: { id: key.id, name: 'laptop' },
    input_tokens: data.prompt_tokens,
    output_tokens: data.completion_tokens,
    cost_micros: data.cost_micros,
    tokens_per_second: data.tokens_per_second,
    time_to_first_token_ms: data.time_to_first_token_ms,
    status: data.status,
  })
  expect((await browser.call('GET', '/requests')).body).toEqual({ data: [row], next: null })
  const { body: details } = await browser.call('GET', `/requests/${id}`)
  expect(details).toMatchObject({
    ...row,
    endpoint: data.endpoint,
    operation: 'chat',
    streamed: true,
    finish_reason: data.finish_reason,
    usage_source: data.usage_source,
    ledger_id: (data.ledger as { id: string }).id,
    evidence_digest: data.evidence_digest,
    timings: { first_token_ms: data.time_to_first_token_ms, end_ms: data.latency_ms },
    price: { input_per_1m_micros: 150_000, output_per_1m_micros: 600_000, refunded_micros: 0 },
  })
  const { input_product, output_product, cost_micros } = details.price
  expect(Number((BigInt(input_product) + BigInt(output_product) + 999_999n) / 1_000_000n)).toBe(cost_micros)
  expect(live.balances().at(-1)).toEqual({ balance_micros: 5_000_000 - Number(cost_micros), held_micros: 0 })
  live.leave()
})

test('an event stream ends with its session, and another of the same person goes on', async () => {
  const { browser, email } = await somebody()
  const second = openBrowser(service, '198.51.100.1')
  await second.signIn(email)
  const [one, other] = [await follow(browser), await follow(second)]
  await vi.waitUntil(() => one.balances().length > 0 && other.balances().length > 0)
  await browser.call('DELETE', '/session')
  await one.ended
  expect(one.events.at(-1)).toEqual({ event: 'end', data: 'session_required' })
  await makeKey(second).then(({ api_key }) => ask(api_key))
  await vi.waitUntil(() => other.rows().some(({ status }) => status === 'ok'))
  other.leave()
})

test.each(['same-site', 'cross-site'])(
  'a page that the browser calls %s is told nothing of somebody',
  async (site) => {
    const { browser } = await somebody()
    const headers = { 'sec-fetch-site': site }
    for (const path of ['/me', '/keys', '/requests/live', '/requests.csv']) {
      const answer = await browser.call('GET', path, undefined, headers)
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 'forbidden_origin' } } })
    }
    for (const own of ['same-origin', 'none']) {
      expect((await browser.call('GET', '/me', undefined, { 'sec-fetch-site': own })).status).toBe(200)
    }
  },
)

test('an account has twenty calls a second for a minute, and another one’s are its own', async () => {
  const [{ browser: eager }, { browser: other }] = [await somebody(), await somebody()]
  const statuses = new Map<number, number>()
  const refusals: Answer[] = []
  const ask = async (): Promise<void> => {
    for (let count = 0; count < 70; count++) {
      const answer = await eager.call('GET', '/me')
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status === 429) refusals.push(answer)
    }
  }
  // On a busy machine some of the minute's refill comes along: so many calls that it cannot be all of them.
  while (!statuses.has(429)) await Promise.all(Array.from({ length: 20 }, ask))
  expect([...statuses.keys()].toSorted()).toEqual([200, 429])
  expect(statuses.get(200)).toBeGreaterThanOrEqual(1_190)
  const [refused] = refusals
  expect(refused?.body).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await other.call('GET', '/me')).status).toBe(200)
})

test('an account has a bounded number of event streams at a time', async () => {
  const { browser } = await somebody()
  const streams = await Promise.all(Array.from({ length: 20 }, () => follow(browser)))
  expect(streams.every(({ response }) => response.status === 200)).toBe(true)
  expect((await fetchAs(browser, '/requests/live')).status).toBe(503)
  for (const { leave } of streams) leave()
  await vi.waitUntil(async () => {
    const again = await follow(browser)
    again.leave()
    return again.response.status === 200
  })
})

test.each([
  ['/requests?sort=key', 'sort'],
  ['/requests?order=up', 'order'],
  ['/requests?status=failed', 'status'],
  ['/requests?limit=0', 'limit'],
  ['/requests?limit=201', 'limit'],
  ['/requests?limit=1e2', 'limit'],
  ['/requests?from=yesterday', 'from'],
  ['/requests?from=2026-02-31T00:00:00Z', 'from'],
  ['/requests?from=0000-01-01T00:00:00Z', 'from'],
  ['/requests?to=9999-12-31T23:59:59-12:00', 'to'],
  ['/requests?from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z', 'from'],
  ['/requests?min_cost_micros=-1', 'min_cost_micros'],
  ['/requests?min_cost_micros=2&max_cost_micros=1', 'min_cost_micros'],
  ['/requests?max_cost_micros=9007199254740993', 'max_cost_micros'],
  ['/requests?model=', 'model'],
  ['/requests?key=', 'key'],
  ['/requests?after=x', 'after'],
  [`/requests?after=${cursor('0', '2026-13-01T00:00:00.000000Z', 'gen-1')}`, 'after'],
  [`/requests?after=${cursor('0', '2026-02-31T00:00:00.000000Z', 'gen-1')}`, 'after'],
  [`/requests?after=${cursor('9999999999999999999', '2026-01-01T00:00:00.000000Z', 'gen-1')}`, 'after'],
  [`/credits?after=${cursor('0')}`, 'after'],
  [`/credits?after=${cursor('1', '2')}`, 'after'],
  [`/keys?after=${cursor('gen-1')}`, 'after'],
  ['/requests.csv?limit=5', 'limit'],
  ['/requests.csv?sort=status', 'sort'],
  ['/usage?bucket=week', 'bucket'],
  ['/usage?group_by=status', 'group_by'],
  ['/usage?bucket=hour&from=2020-01-01T00:00:00Z', 'from'],
])('%s is refused by its parameter', async (path, param) => {
  asker ??= (await somebody()).browser
  const { status, body } = await asker.call('GET', path)
  expect({ status, code: body.error.code, param: body.error.param }).toEqual({
    status: 400,
    code: 'unsupported_parameter',
    param,
  })
})

let asker: Browser | undefined

function cursor(...parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

test('the log is narrowed, sorted and paged, and its file has the same rows with names defused', async () => {
  const { browser, workspaceId } = await somebody()
  const names = ['=HYPERLINK("http://x.example")', '\u202eevil', '<img src=x onerror=alert(1)>']
  const keys = await Promise.all(names.map((name) => createKey(service.sql, workspaceId, { name })))
  for (const { plaintext } of keys) {
    await ask(plaintext)
    await ask(plaintext, { model: 'demo/other' })
  }
  const ids = async (path: string): Promise<string[]> =>
    (await browser.call('GET', path)).body.data.map(({ id }: { id: string }) => id)
  const all = await ids('/requests?order=asc')
  expect(all).toHaveLength(6)
  expect(await ids('/requests')).toEqual(all.toReversed())
  expect(await ids('/requests?model=demo/other')).toHaveLength(3)
  expect(await ids(`/requests?key=${keys[0]!.key.id}&model=demo/other`)).toHaveLength(1)
  expect(await ids('/requests?status=aborted')).toEqual([])

  const walked: string[] = []
  for (let path = '/requests?sort=cost&order=asc&limit=4'; ; ) {
    const { body } = await browser.call('GET', path)
    walked.push(...body.data.map(({ id }: { id: string }) => id))
    if (body.next === null) break
    path = `/requests?sort=cost&order=asc&limit=4&after=${body.next}`
  }
  expect(walked.toSorted()).toEqual(all.toSorted())

  const csv = await fetchAs(browser, '/requests.csv?order=asc')
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="requests.csv"')
  const text = await csv.text()
  expect(text.match(/gen-[0-9A-Z]{26}/g)).toEqual(all)
  expect(text).toContain(`"'=HYPERLINK(""http://x.example"")"`)
  expect(text).toContain(',<img src=x onerror=alert(1)>,')
})

test('credits tell the balance, what is held, and the ledger page by page', async () => {
  const { browser, workspaceId } = await somebody()
  const key = await makeKey(browser)
  for (let count = 0; count < 4; count++) await ask(key.api_key)
  const kinds: string[] = []
  const amounts: number[] = []
  let path = '/credits?limit=2'
  for (;;) {
    const { body } = await browser.call('GET', path)
    for (const row of body.data) {
      kinds.push(row.kind)
      amounts.push(row.amount_micros)
    }
    expect(body).toMatchObject({
      balance_micros: Number(await service.balanceOf(workspaceId)),
      held_micros: 0,
    })
    if (body.next === null) break
    path = `/credits?limit=2&after=${body.next}`
  }
  expect(kinds).toEqual(['generation', 'generation', 'generation', 'generation', 'top_up'])
  expect(amounts.reduce((sum, amount) => sum + amount)).toBe(Number(await service.balanceOf(workspaceId)))
})

test('usage is told over time, by model and by key, and adds up to the ledger', async () => {
  const { browser, workspaceId } = await somebody()
  const [one, two] = [await makeKey(browser, { name: 'one' }), await makeKey(browser, { name: 'two' })]
  await ask(one.api_key)
  await ask(two.api_key, { model: 'demo/other' })
  const spent = 5_000_000 - Number(await service.balanceOf(workspaceId))
  const byKey = (await browser.call('GET', '/usage?group_by=key&bucket=hour')).body
  expect(byKey).toMatchObject({ bucket: 'hour', group_by: 'key', total: { requests: 2, cost_micros: spent } })
  expect(byKey.groups).toEqual(
    [
      { id: one.id, name: 'one' },
      { id: two.id, name: 'two' },
    ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )
  const byModel = (await browser.call('GET', '/usage?group_by=model')).body
  expect(byModel.groups.map(({ id }: { id: string }) => id)).toEqual(['demo/other', 'demo/tiny-chat'])
  const all = (await browser.call('GET', '/usage')).body
  expect(all).toMatchObject({ group_by: 'none', groups: [], total: { requests: 2, cost_micros: spent } })
  expect(all.points.every(({ group }: { group: null }) => group === null)).toBe(true)
  const before = (await browser.call('GET', '/usage?from=2026-01-01T05:00:00Z&to=2026-01-03T07:00:00Z')).body
  expect(before).toMatchObject({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-03T00:00:00.000Z',
    points: [],
    total: { requests: 0 },
  })
})

test('models are listed with price and state, endpoints with digest, history and the bundle itself', async () => {
  const { browser } = await somebody()
  const models = (await browser.call('GET', '/models')).body.data
  expect(models[0]).toMatchObject({
    id: 'demo/tiny-chat',
    state: 'available',
    input_per_1m_micros: 150_000,
    output_per_1m_micros: 600_000,
    endpoint: 'demo',
    external: false,
  })
  await vi.waitUntil(async () => (await fetch(`${service.baseUrl}/evidence/demo`)).status === 200)
  const published = await (await fetch(`${service.baseUrl}/evidence/demo`)).text()
  const [endpoint] = (await browser.call('GET', '/endpoints')).body.data
  expect(endpoint).toMatchObject({
    name: 'demo',
    external: false,
    state: 'published',
    denial: null,
    models: ['demo/tiny-chat', 'demo/other'],
  })
  expect(endpoint.history[0]).toMatchObject({ evidence_digest: endpoint.evidence_digest, has_bundle: true })
  const digest = endpoint.evidence_digest.slice('sha256/'.length)
  const bundle = await fetchAs(browser, `/endpoints/demo/bundles/${digest}`)
  expect(bundle.headers.get('content-type')).toBe('application/json')
  expect(await bundle.text()).toBe(published)
  for (const path of [
    `/endpoints/demo/bundles/${'A'.repeat(43)}`,
    `/endpoints/none/bundles/${digest}`,
    '/endpoints/demo/bundles/x',
  ]) {
    expect((await browser.call('GET', path)).status).toBe(404)
  }
})

test('page events are counted out of lists, on a budget of the address alone', async () => {
  const { browser } = await somebody()
  const event = { name: 'copied', page: 'keys' }
  const count = async () =>
    valueIn(await readMetrics(service.adminUrl), 'router_console_events_total', {
      event: 'copied',
      page: 'keys',
    }) ?? 0
  const before = await count()
  expect(await browser.call('POST', '/analytics', { events: [event, event] })).toMatchObject({ status: 202 })
  expect(await count()).toBe(before + 2)
  for (const wrong of [
    { events: [{ ...event, text: 'What I typed' }] },
    { events: [{ name: 'typed', page: 'keys' }] },
    { events: [] },
    { events: [event], person: 'Ada' },
  ]) {
    expect((await browser.call('POST', '/analytics', wrong)).status).toBe(400)
  }
  expect(await count()).toBe(before + 2)

  const many = { events: Array.from({ length: 20 }, () => event) }
  const statuses: number[] = []
  for (let call = 0; call < 5; call++) statuses.push((await browser.call('POST', '/analytics', many)).status)
  expect(statuses).toContain(429)
  expect((await browser.call('GET', '/me')).status).toBe(200)
  const stranger = openBrowser(service, '198.51.100.7')
  expect((await stranger.call('POST', '/analytics', { events: [event] })).status).toBe(202)
  expect(
    (await stranger.call('POST', '/analytics', { events: [event] }, { origin: 'https://x.example' })).status,
  ).toBe(403)
})

test('nobody who is not signed in is told anything', async () => {
  const stranger = openBrowser(service, '198.51.100.8')
  for (const path of [
    '/keys',
    '/credits',
    '/requests',
    '/requests.csv',
    '/requests/live',
    '/usage',
    '/models',
    '/endpoints',
  ]) {
    const { status, body } = await stranger.call('GET', path)
    expect([path, status, body.error.code]).toEqual([path, 401, 'session_required'])
  }
})

test('while the database is away a page is told so, and all goes on when it is back', async () => {
  const { browser } = await somebody()
  const key = await makeKey(browser)
  const live = await follow(browser)
  await vi.waitUntil(() => live.balances().length > 0)
  process.kill(service.server.embedded.pid()!, 'SIGKILL')
  // What its processes have begun they still end.
  const away = await vi.waitUntil(async () => {
    const answer = await browser.call('GET', '/requests')
    return answer.status === 200 ? undefined : answer
  })
  expect(away).toMatchObject({ status: 503, body: { error: { code: 'overloaded' } } })
  expect(away.headers.get('retry-after')).toBe('1')
  await service.server.embedded.ensureRunning()
  await vi.waitUntil(async () => (await browser.call('GET', '/requests')).status === 200)
  expect((await ask(key.api_key)).status).toBe(200)
  await vi.waitUntil(() => live.rows().some(({ status }) => status === 'ok'))
  live.leave()
})
