import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isConfigReloadOutput } from '#contract/validators/config-reload-output'
import { isConfigStatusOutput } from '#contract/validators/config-status-output'
import type { Sql } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { readMetrics, valueIn } from './metrics.ts'
import {
  configOf,
  costAt,
  parseReload,
  parseStatus,
  type ReloadableRouter,
  startHolding,
  startReloadable,
} from './reload.ts'
import { type Account, chat, createAccount } from './service.ts'

const PATIENCE = { timeout: 60_000, interval: 50 }

let server: TestServer
let sql: Sql
let databaseUrl: string
let account: Account
let before: Awaited<ReturnType<typeof startHolding>>
let after: Awaited<ReturnType<typeof startHolding>>
let one: ReloadableRouter
let other: ReloadableRouter

beforeAll(async () => {
  server = await startTestServer()
  const database = await server.open()
  sql = database.sql
  databaseUrl = database.url
  account = await createAccount(sql, 50_000_000n)
  before = await startHolding()
  after = await startHolding()
  const config = configOf(before.url, 1)
  ;[one, other] = await Promise.all([
    startReloadable(databaseUrl, config),
    startReloadable(databaseUrl, config),
  ])
})

afterAll(async () => {
  for (const router of [one, other]) {
    await router.kill()
    router.remove()
  }
  await Promise.all([before.close(), after.close()])
  await server.stop()
})

/** What one answer that is not streamed costs. */
async function priceAt(router: ReloadableRouter): Promise<number> {
  const response = await chat(router, account.apiKey, {})
  expect(response.status).toBe(200)
  const { usage } = (await response.json()) as { usage: { cost_micros: number } }
  return usage.cost_micros
}

async function beginStream(router: ReloadableRouter) {
  const body = { stream: true, stream_options: { include_usage: true } }
  const response = await chat(router, account.apiKey, body)
  expect(response.status).toBe(200)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('first')) text += (await reader.read()).value ?? ''
  return async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text
      text += value
    }
  }
}

const metricOf = async (router: ReloadableRouter, name: string) =>
  valueIn(await readMetrics(router.adminUrl), name)

const versionAt = async ({ adminUrl }: ReloadableRouter): Promise<string> => {
  const { config_version: version } = (await (await fetch(`${adminUrl}/readyz`)).json()) as {
    config_version: string
  }
  return version
}

test('a stream runs across a reload and ends whole at its price; new requests have the new price and backend at every router', async () => {
  expect([await priceAt(one), await priceAt(other)]).toEqual([costAt(1), costAt(1)])
  const old = await versionAt(one)
  const rest = await beginStream(one)

  for (const router of [one, other]) router.write(configOf(after.url, 2))
  const run = await one.command('reload', '--json')
  expect([run.code, run.stderr]).toEqual([0, ''])
  const document = parseReload(run)
  expect([isConfigReloadOutput(document), isConfigReloadOutput.errors]).toEqual([true, null])
  const { file_version: version, replicas } = document
  expect(version).not.toBe(old)
  expect(replicas.map(({ version, outcome }) => [version, outcome])).toEqual([
    [version, 'current'],
    [version, 'current'],
  ])
  expect(replicas.map(({ pid }) => pid).sort()).toEqual([one.child.pid, other.child.pid].sort())
  expect([await versionAt(one), await versionAt(other)]).toEqual([version, version])

  const sent = before.requests.length
  expect([await priceAt(one), await priceAt(other)]).toEqual([costAt(2), costAt(2)])
  expect(before.requests).toHaveLength(sent)
  expect(after.requests).toHaveLength(2)
  expect(await metricOf(one, 'router_config_older_requests')).toBe(1)

  before.letGo()
  const text = await rest()
  expect(text).toContain('last')
  expect(text).not.toContain('"error"')
  expect(text).toContain(`"cost_micros":${costAt(1)}`)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  await vi.waitFor(async () => {
    expect(await metricOf(one, 'router_config_older_requests')).toBe(0)
    expect(before.sockets.size).toBe(0)
  }, PATIENCE)
  for (const router of [one, other]) {
    const told = 'nothing goes by an older configuration any more'
    await vi.waitFor(() => expect(router.log()).toContain(told), PATIENCE)
  }
})

test('a bad file is refused at SIGHUP by its settings, what ran goes on, and every command tells of it', async () => {
  const version = await versionAt(one)
  one.write(configOf(after.url, 3, 'colour: red\n').replace('contextLength: 32768', 'contextLength: many'))
  one.child.kill('SIGHUP')
  await vi.waitFor(() => {
    expect(one.log()).toContain('"setting":"colour"')
    expect(one.log()).toContain('"setting":"models[0].contextLength"')
  }, PATIENCE)
  expect(await priceAt(one)).toBe(costAt(2))
  expect([await versionAt(one), await metricOf(one, 'router_config_refused')]).toEqual([version, 1])

  const own = await one.command('reload')
  expect([own.code, own.stdout]).toEqual([4, ''])
  expect(own.stderr).toContain('colour: is not a known key')

  other.write(configOf(after.url, 4))
  const run = await other.command('reload', '--json')
  expect(run.code).toBe(4)
  expect(run.stderr).toContain('colour: is not a known key')
  const { file_version: changed, replicas } = parseReload(run)
  expect(new Map(replicas.map((replica) => [replica.pid, [replica.version, replica.outcome]]))).toEqual(
    new Map([
      [one.child.pid, [version, 'refused']],
      [other.child.pid, [changed, 'current']],
    ]),
  )

  const status = await other.command('status', '--json')
  expect([status.code, status.stderr]).toEqual([0, ''])
  const document = parseStatus(status)
  expect([isConfigStatusOutput(document), isConfigStatusOutput.errors]).toEqual([true, null])
  expect(document.replicas.find(({ pid }) => pid === one.child.pid)).toMatchObject({
    version,
    refusal: { message: expect.stringContaining('models[0].contextLength') },
  })
  const { stdout } = await other.command('status')
  expect(stdout).toContain(`${version} (another)`)
  expect(stdout).toContain('colour: is not a known key')

  one.write(configOf(after.url, 4))
  one.child.kill('SIGHUP')
  await vi.waitFor(async () => expect(await versionAt(one)).toBe(changed), PATIENCE)
  expect(await metricOf(one, 'router_config_refused')).toBe(0)
  await vi.waitFor(async () => {
    const { replicas } = parseStatus(await one.command('status', '--json'))
    expect(replicas.map(({ version, refusal }) => [version, refusal])).toEqual([
      [changed, null],
      [changed, null],
    ])
  }, PATIENCE)
})

test('nothing is taken up of a file that also changes what needs a restart, and that is named', async () => {
  const version = await versionAt(one)
  one.write(configOf(after.url, 5, 'dataDir: elsewhere\n'))
  const { code, stderr } = await one.command('reload')
  expect(code).toBe(4)
  expect(stderr).toContain('dataDir: has changed, which needs a restart')
  expect([await versionAt(one), await priceAt(one)]).toEqual([version, costAt(4)])
})

test('budgets, models, the overdraft and origins are those of the newest file', async () => {
  const { apiKey: broke } = await createAccount(sql, 0n)
  expect((await chat(one, broke, {})).status).toBe(402)
  const more =
    'allowOverdraftMicros: 1000000\nlimits: { requestsPerMinute: 77 }\ncors: { origins: ["https://a.example"] }\n'
  const text = configOf(after.url, 1, more).replace('id: demo/tiny-chat', 'id: demo/other-chat')
  for (const router of [one, other]) router.write(text)
  expect(await one.command('reload')).toMatchObject({ code: 0 })
  expect((await chat(one, account.apiKey, {})).status).toBe(404)
  expect((await chat(one, broke, { model: 'demo/other-chat' })).status).toBe(200)
  const served = await chat(
    one,
    account.apiKey,
    { model: 'demo/other-chat' },
    {
      headers: {
        authorization: `Bearer ${account.apiKey}`,
        'content-type': 'application/json',
        origin: 'https://a.example',
      },
    },
  )
  expect(served.status).toBe(200)
  expect(served.headers.get('x-ratelimit-limit')).toBe('77')
  expect(served.headers.get('access-control-allow-origin')).toBe('https://a.example')
  const listed = await fetch(`${one.baseUrl}/models`, {
    headers: { authorization: `Bearer ${account.apiKey}` },
  })
  const { data } = (await listed.json()) as { data: { id: string }[] }
  expect(data.map(({ id }) => id)).toEqual(['demo/other-chat'])
})

test('a router that does not answer is named, with exit code 1, and so is that there is none', async () => {
  await sql`
    insert into replicas (id, in_contact_since, renewed_at, lapses_at)
    select 'rep_silent', now, now, now + interval '1 hour' from (select clock_timestamp() as now) as clock`
  const late = await one.command('reload', '--json')
  expect(late.code).toBe(1)
  expect(late.stderr).toContain('rep_silent has not answered')
  expect(
    parseReload(late)
      .replicas.map(({ outcome }) => outcome)
      .sort(),
  ).toEqual(['current', 'current', 'silent'])
  await sql`delete from replicas where id = 'rep_silent'`

  expect(await Promise.all([one.stop(), other.stop()])).toEqual([0, 0])
  const none = await one.command('reload')
  expect([none.code, none.stdout]).toEqual([1, ''])
  expect(none.stderr).toContain('No router runs on this database.')
})
