import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { digestOf } from '#attestation'
import { consoleRoutes } from '#contract/console/routes'
import { createIdentity } from '../egress/testing/identity.ts'
import { createWorkspace } from '../server/store/workspaces.ts'
import { type Answer, type Browser, openBrowser } from './browser.ts'
import { startTestGateway, type TestGateway } from './gateway.ts'
import { type Service, startService } from './service.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))
const ADA = 'ada@example.com'
const SECRET = 'vendor-secret-canary-93'
const HOSTNAME = 'vendor.localhost'
const administrators = ['Ada@Example.com', 'bob@example.com']

let service: Service
let gateway: TestGateway
let ada: Browser
let sources = 0

const newBrowser = () => openBrowser(service, `192.0.2.${++sources}`)

beforeAll(async () => {
  gateway = await startTestGateway('http://127.0.0.1:1', HOSTNAME)
  service = await startService({
    console: { administrators },
    trustedProxies: ['127.0.0.1'],
  })
  ada = newBrowser()
  await ada.signIn(ADA)
})

afterAll(async () => {
  expect((await service.verify()).differences).toEqual([])
  await service.stop()
  await gateway.close()
})

const call = (method: string, path: string, body?: unknown) => ada.call(method, `/admin${path}`, body)
const refusal = (status: number, code: string) => ({ status, body: { error: { code } } })

/** What is written down, the newest first. */
async function acts(query = ''): Promise<{ act: string; actor: string; subject: string; details: object }[]> {
  const { status, body } = await call('GET', `/audit?limit=200${query}`)
  expect(status).toBe(200)
  return body.data
}

let names = 0
const newName = () => `vendor-${++names}`
const { pem } = createIdentity(HOSTNAME)
const newUpstream = (more: object = {}) => {
  const url = `https://127.0.0.1:${new URL(gateway.gateway.url).port}/v1`
  const roots = readFileSync(gateway.gateway.rootPemFile, 'utf8')
  return { name: newName(), url, hostname: HOSTNAME, roots, ...more }
}

async function register(more: object = {}): Promise<Answer['body']> {
  const { status, body } = await call('POST', '/upstreams', newUpstream(more))
  expect(status).toBe(201)
  return body
}

const untilAdmitted = (name: string) =>
  vi.waitFor(async () => expect((await call('GET', `/upstreams/${name}`)).body.state).toBe('admitted'), {
    timeout: 30_000,
    interval: 50,
  })

const operations = Object.entries(consoleRoutes).filter(([, { administrator }]) => administrator)

test.each(operations)(
  '%s is refused to whoever is no administrator, and nothing is done',
  async (_, route) => {
    const path = route.path.replace(/\{\w+\}/, 'vendor')
    const method = route.method.toUpperCase()
    const body = method === 'POST' || method === 'PATCH' ? {} : undefined
    const before = await acts()
    const stranger = newBrowser()
    expect(await stranger.call(method, path, body)).toMatchObject(refusal(401, 'session_required'))
    await stranger.signIn(`stranger-${sources}@example.com`)
    expect(await stranger.call(method, path, body)).toMatchObject(refusal(403, 'not_administrator'))
    if (method !== 'GET') {
      const foreign = await ada.call(method, path, body, { origin: 'https://evil.example' })
      expect(foreign).toMatchObject(refusal(403, 'forbidden_origin'))
    }
    expect(await acts()).toEqual(before)
  },
)

test('whom the configuration in force names no more is refused from the next call on', async () => {
  const bob = newBrowser()
  await bob.signIn('bob@example.com')
  const invitation = { grant_micros: 5 }
  expect((await bob.call('POST', '/admin/invitations', invitation)).status).toBe(201)
  administrators.splice(1, 1)
  try {
    const refused = await bob.call('POST', '/admin/invitations', invitation)
    expect(refused).toMatchObject(refusal(403, 'not_administrator'))
    expect((await bob.call('GET', '/me')).body.administrator).toBe(false)
  } finally {
    administrators.push('bob@example.com')
  }
  expect(await acts('&actor=bob@example.com')).toHaveLength(1)
})

test('an upstream is registered, pinned, admitted, disabled and put back, and its key is in no answer', async () => {
  const made = await register({ api_key: SECRET })
  const { name } = made
  expect(made).toMatchObject({
    id: expect.stringMatching(/^ups_/),
    state: 'pending',
    pins: [],
    has_api_key: true,
    require_leaf_name: true,
    denial: null,
  })
  const { digest } = await gateway.control('/state')
  expect(await call('POST', `/upstreams/${name}/pins`, { add: [digest] })).toMatchObject({
    status: 200,
    body: { pins: [digest] },
  })
  await vi.waitFor(
    async () => {
      const { body } = await call('GET', `/upstreams/${name}`)
      expect(body).toMatchObject({ state: 'admitted', last_admitted: { evidence_digest: digest } })
    },
    { timeout: 30_000, interval: 50 },
  )
  const disabled = await call('PATCH', `/upstreams/${name}`, { disabled: true })
  expect(disabled).toMatchObject({ status: 200, body: { state: 'disabled' } })
  expect(await call('POST', `/upstreams/${name}/attest`)).toMatchObject(refusal(409, 'conflict'))
  const enabled = await call('PATCH', `/upstreams/${name}`, { disabled: false })
  expect(enabled.body.state).not.toBe('disabled')
  expect((await call('POST', `/upstreams/${name}/attest`)).status).toBe(200)
  expect((await acts(`&subject=${name}`)).map(({ act }) => act).toReversed()).toEqual([
    'upstream_registered',
    'deployment_pinned',
    'upstream_disabled',
    'upstream_enabled',
    'upstream_attested',
  ])
  const events = await call('GET', `/upstreams/${name}/events?limit=2`)
  expect(events.body.data).toHaveLength(2)
  const rest = await call('GET', `/upstreams/${name}/events?limit=200&after=${events.body.next}`)
  expect(rest.body.data.at(-1)).toMatchObject({ event: 'registered', replica: null })
  const everything = [made, disabled, enabled, events, rest, await call('GET', '/upstreams'), await acts()]
  expect(JSON.stringify(everything)).not.toContain(SECRET)
})

test('a name that is taken is a conflict, unless it is registered anew', async () => {
  const upstream = newUpstream()
  expect((await call('POST', '/upstreams', upstream)).status).toBe(201)
  const first = await acts(`&subject=${upstream.name}`)
  expect(await call('POST', '/upstreams', upstream)).toMatchObject(refusal(409, 'conflict'))
  expect(await call('POST', '/upstreams', { ...upstream, name: 'demo' })).toMatchObject(
    refusal(409, 'conflict'),
  )
  expect(await acts(`&subject=${upstream.name}`)).toEqual(first)
  expect((await call('POST', '/upstreams', { ...upstream, replace: true })).status).toBe(201)
  const both = await Promise.all(
    [1, 2, 3].map(() => call('POST', '/upstreams', newUpstream({ name: 'race' }))),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409, 409])
})

test('what is offered is compared with what is pinned, step by step', async () => {
  const { digest: first } = await gateway.control('/state')
  const { name } = await register({ pins: [first] })
  await untilAdmitted(name)
  const same = await call('GET', `/upstreams/${name}/diff`)
  expect(same).toMatchObject({
    status: 200,
    body: { pinned: { evidence_digest: first }, same_values: false, changes: [] },
  })
  const { digest: second } = await gateway.control('/rotate/deployment')
  expect(second).not.toBe(first)
  const changed = await call('GET', `/upstreams/${name}/diff?pin=${encodeURIComponent(first)}`)
  expect(changed.body).toMatchObject({
    pinned: { evidence_digest: first, is_pinned: true },
    offered: { evidence_digest: second, is_pinned: false },
    same_values: false,
  })
  expect(changed.body.changes.length).toBeGreaterThan(0)
  const other = encodeURIComponent(digestOf('another'))
  expect(await call('GET', `/upstreams/${name}/diff?pin=${other}`)).toMatchObject(refusal(404, 'not_found'))
  expect(await call('GET', `/upstreams/${name}/diff?pin=x`)).toMatchObject(
    refusal(400, 'unsupported_parameter'),
  )
  await gateway.control('/rotate/deployment', { restore: true })
  const fresh = await register()
  const offered = await call('GET', `/upstreams/${fresh.name}/diff`)
  expect(offered.body).toMatchObject({ pinned: null, offered: { is_pinned: false }, changes: [] })
})

test('the command line compares in the same words, and is written down in the same log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'administration-'))
  const prices = 'pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }'
  writeFileSync(
    join(folder, 'router.yaml'),
    `database: { url: "\${DATABASE_URL}" }
endpoints: [ { name: demo, hostname: router.localhost } ]
models: [ { id: vendor/large, contextLength: 8192, ${prices}, endpoint: vendor, upstream: {} } ]
`,
  )
  const database = new URL(service.server.embedded.url)
  database.pathname = service.sql.options.database
  const router = promisify(execFile)
  const run = async (...words: readonly string[]) => {
    const env = { ...process.env, DATABASE_URL: database.href }
    return (await router(LAUNCHER, words, { cwd: folder, env })).stdout
  }
  try {
    const { digest } = await gateway.control('/state')
    const { name } = await register({ pins: [digest] })
    await untilAdmitted(name)
    await gateway.control('/rotate/deployment')
    const inConsole = await call('GET', `/upstreams/${name}/diff`)
    const byCommand = JSON.parse(await run('upstream', 'diff', name, '--json'))
    expect(inConsole.body.changes.length).toBeGreaterThan(0)
    expect(byCommand).toMatchObject({ pinned: inConsole.body.pinned, changes: inConsole.body.changes })
    expect(await run('upstream', 'diff', name)).toMatch(/ offered\n.*router upstream pin/s)
    await run('upstream', 'disable', name, '--as', 'operator')
    expect(await acts(`&subject=${name}`)).toMatchObject([
      { act: 'upstream_disabled', actor: 'operator', through: 'command_line' },
      { act: 'upstream_registered', actor: ADA, through: 'console' },
    ])
    const { body } = await newBrowser().signIn('needle.in.hay@example.com')
    const found = JSON.parse(await run('workspace', 'list', '--find', 'NEEDLE', '--json'))
    expect(found).toMatchObject([{ id: body.me.workspace.id }])
  } finally {
    await gateway.control('/rotate/deployment', { restore: true })
    rmSync(folder, { recursive: true })
  }
})

test('an offer that cannot be had or verified is a conflict that names stage and reason', async () => {
  const away = await register({ url: 'https://127.0.0.1:1/v1' })
  const distrusted = await register({ roots: pem })
  for (const [name, words] of [
    [away.name, 'fetch, unreachable'],
    [distrusted.name, 'root_not_trusted'],
  ]) {
    const answer = await call('GET', `/upstreams/${name}/diff`)
    expect(answer).toMatchObject(refusal(409, 'conflict'))
    expect(answer.body.error.message).toContain(words)
  }
})

test.each([
  ['a URL with a password', { url: 'https://user:secret@vendor.example/v1' }, 'url'],
  ['roots without a certificate', { roots: 'no PEM' }, 'roots'],
  ['a key that is no header', { api_key: 'ä\n' }, 'api_key'],
  ['a hostname with a line end', { hostname: 'a\r\nb' }, 'hostname'],
  ['a digest that is none', { pins: ['sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_'] }, 'pins'],
])('%s is a 400, and nothing is registered', async (_, more, param) => {
  const upstream = newUpstream(more)
  const answer = await call('POST', '/upstreams', upstream)
  expect(answer).toMatchObject({ status: 400, body: { error: { param } } })
  expect(await call('GET', `/upstreams/${upstream.name}`)).toMatchObject(refusal(404, 'not_found'))
  expect(await acts(`&subject=${upstream.name}`)).toEqual([])
})

test.each([
  ['nothing', {}, 'missing_field'],
  ['the same twice over', { add: [digestOf('a')], remove: [digestOf('a')] }, 'unsupported_parameter'],
])('to approve %s is a 400', async (_, body, code) => {
  const { name } = await register()
  expect(await call('POST', `/upstreams/${name}/pins`, body)).toMatchObject(refusal(400, code))
  expect(await acts(`&subject=${name}`)).toHaveLength(1)
})

test('what is not there is 404, and nothing is written down', async () => {
  const before = await acts()
  for (const [method, path, body] of [
    ['GET', '/upstreams/nobody'],
    ['PATCH', '/upstreams/nobody', { disabled: true }],
    ['POST', '/upstreams/nobody/attest'],
    ['POST', '/upstreams/nobody/pins', { add: [digestOf('a')] }],
    ['GET', '/upstreams/nobody/diff'],
    ['GET', '/upstreams/nobody/events'],
    ['DELETE', '/invitations/inv_x'],
    ['GET', '/workspaces/ws_x'],
    ['POST', '/workspaces/ws_x/credit', { amount_micros: 5, reason: 'r' }],
  ] as const) {
    expect([path, await call(method, path, body)]).toMatchObject([path, refusal(404, 'not_found')])
  }
  expect(await acts()).toEqual(before)
})

test('an invitation is issued, listed, redeemed and withdrawn once', async () => {
  const { status, body } = await call('POST', '/invitations', {
    grant_micros: 5_000_000,
    max_redemptions: 2,
    note: '<script>alert(1)</script>',
    description: '\u202EWelcome',
    expires_at: '2100-01-01T00:00:00Z',
  })
  expect([status, body]).toMatchObject([
    201,
    { note: '<script>alert(1)</script>', description: '\u202EWelcome', redemptions: 0, withdrawn_at: null },
  ])
  const guest = newBrowser()
  expect((await guest.signIn('guest@example.com', { invitation: body.code })).body.granted_micros).toBe(
    5_000_000,
  )
  const [first, second] = [
    await call('DELETE', `/invitations/${body.id}`),
    await call('DELETE', `/invitations/${body.id}`),
  ]
  expect(first).toMatchObject({ status: 200, body: { redemptions: 1, withdrawn_at: expect.any(String) } })
  expect(second.body).toEqual(first.body)
  expect((await acts(`&subject=${body.id}`)).map(({ act }) => act)).toEqual([
    'invitation_withdrawn',
    'invitation_issued',
  ])
  const page = await call('GET', '/invitations?limit=1')
  expect(page.body.data).toHaveLength(1)
  const all = await call('GET', '/invitations?limit=200')
  expect(all.body.data).toContainEqual(first.body)
  expect(JSON.stringify(await acts())).not.toContain(body.code)
  const past = { grant_micros: 5, expires_at: '2020-01-01T00:00:00Z' }
  expect(await call('POST', '/invitations', past)).toMatchObject({
    status: 400,
    body: { error: { param: 'expires_at' } },
  })
})

test('an invitation that ends at no time that can be kept is refused', async () => {
  const ends = [
    '9999-12-31T23:59:59-23:59',
    '2016-12-31T23:59:60Z',
    '2001-01-01T00:00:00Z',
    '2099-02-30T00:00:00Z',
  ]
  for (const expires_at of ends) {
    expect(await call('POST', '/invitations', { grant_micros: 1, expires_at })).toMatchObject(
      refusal(400, 'unsupported_parameter'),
    )
  }
})

test('a workspace is found by a part of its name or of an address, or by its id, and paged', async () => {
  const name = `<b>Ärger</b> \u202E${'x'.repeat(300)} 100%_\\`
  const { id } = await createWorkspace(service.sql, name)
  const person = newBrowser()
  const { body } = await person.signIn('Longest.Name@example.com')
  const ids = async (query: string) => {
    const answer = await call('GET', `/workspaces?query=${encodeURIComponent(query)}`)
    return answer.body.data.map((workspace: { id: string }) => workspace.id)
  }
  expect(await ids('ÄRGER')).toEqual([id])
  expect(await ids('100%_\\')).toEqual([id])
  expect(await ids('%')).toEqual([id])
  expect(await ids(id.toLowerCase())).toEqual([id])
  expect(await ids('LONGEST.name@')).toEqual([body.me.workspace.id])
  expect(await ids('\u202E<script>')).toEqual([])
  const details = await call('GET', `/workspaces/${id}`)
  expect(details).toMatchObject({
    status: 200,
    body: { name, emails: [], ledger: [], keys: [], balance_micros: 0 },
  })
  const first = await call('GET', '/workspaces?limit=1')
  const second = await call('GET', `/workspaces?limit=1&after=${first.body.next}`)
  expect(second.body.data[0].id < first.body.data[0].id).toBe(true)
  for (const query of ['?query=', `?query=${'x'.repeat(321)}`, '?after=x', '?limit=0', '?name=x']) {
    expect((await call('GET', `/workspaces${query}`)).status).toBe(400)
  }
})

test('a workspace is credited and adjusted, each by one ledger row and one act, once under an idempotency key', async () => {
  const { id } = await createWorkspace(service.sql, 'Paying')
  const credit = (body: object) => call('POST', `/workspaces/${id}/credit`, body)
  const body = { amount_micros: 5_000_000, reason: 'Invoice <17>', idempotency_key: 'invoice-17' }
  const answers = await Promise.all(Array.from({ length: 5 }, () => credit(body)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1)
  expect(answers[0]?.body).toMatchObject({
    kind: 'top_up',
    amount_micros: 5_000_000,
    description: 'Invoice <17>',
  })
  expect(await credit({ ...body, amount_micros: 6 })).toMatchObject(refusal(409, 'conflict'))
  expect(await credit({ amount_micros: -1, reason: 'Typo' })).toMatchObject({
    status: 201,
    body: { kind: 'adjustment', balance_after_micros: 4_999_999 },
  })
  const most = { amount_micros: Number.MAX_SAFE_INTEGER, reason: 'Too much' }
  expect(await credit(most)).toMatchObject(refusal(409, 'conflict'))
  for (const amount_micros of [0, 0.5, '5', 9_007_199_254_740_992]) {
    expect((await credit({ amount_micros, reason: 'r' })).status).toBe(400)
  }
  expect(await service.balanceOf(id)).toBe(4_999_999n)
  const details = await call('GET', `/workspaces/${id}`)
  expect(details.body.ledger).toHaveLength(2)
  expect(await acts(`&subject=${id}`)).toMatchObject([
    {
      act: 'workspace_credited',
      actor: ADA,
      through: 'console',
      details: { amount_micros: '-1', reason: 'Typo' },
    },
    { act: 'workspace_credited', details: { amount_micros: '5000000', reason: 'Invoice <17>' } },
  ])
})

test('credit that was answered as failed is not posted afterwards', async () => {
  const { id } = await createWorkspace(service.sql, 'Patient')
  const before = await acts(`&subject=${id}`)
  const credit = { amount_micros: 5_000_000, reason: 'Invoice 18' }
  let answer: Promise<Answer> | undefined
  await service.sql.begin(async (transaction) => {
    await transaction`select from workspaces where id = ${id} for update`
    answer = call('POST', `/workspaces/${id}/credit`, credit)
    expect(await answer).toMatchObject(refusal(503, 'overloaded'))
  })
  // Whatever of it was under way has come to its end when the row is free.
  await service.sql`select from workspaces where id = ${id} for update`
  await vi.waitFor(async () => {
    const [{ count } = { count: 1 }] = await service.sql<{ count: number }[]>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' and query ilike '%workspaces%'`
    expect(count).toBe(0)
  }, 20_000)
  expect((await call('GET', `/workspaces/${id}`)).body).toMatchObject({ balance_micros: 0, ledger: [] })
  expect(await acts(`&subject=${id}`)).toEqual(before)
  expect((await call('POST', `/workspaces/${id}/credit`, credit)).status).toBe(201)
})

test('the acts are paged behind a row and narrowed; what cannot be meant is a 400', async () => {
  const { body: first } = await call('GET', '/audit?limit=1')
  const { body: second } = await call('GET', `/audit?limit=1&after=${first.next}`)
  expect((await acts()).slice(0, 2)).toEqual([...first.data, ...second.data])
  expect(new Set((await acts('&act=invitation_issued')).map(({ act }) => act))).toEqual(
    new Set(['invitation_issued']),
  )
  expect(await acts('&to=2020-01-01T00:00:00Z')).toEqual([])
  // A place that somebody has made up, at a time that there is not, or not for the database.
  const madeUp = ['2026-13-45T25:00:00.000Z', '0000-01-01T00:00:00.000Z'].map((at) =>
    Buffer.from(JSON.stringify([at, `aud_${'0'.repeat(26)}`])).toString('base64url'),
  )
  const places = ['x', ...madeUp].map((place) => `after=${place}`)
  for (const query of ['act=coffee_made', 'from=yesterday', ...places, 'actor=', 'limit=201', 'who=ada']) {
    expect((await call('GET', `/audit?${query}`)).status).toBe(400)
  }
})
