// @module-tag redis-server

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import { ask } from './answer.ts'
import { type CellService, killServer, startCells } from './cells.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { expectSound } from './replicas.ts'
import { type Account, chat } from './service.ts'

/** Guards against hanging, on a machine that others use as well. */
const PATIENT = { timeout: 300_000, interval: 200 }

/** So many requests a minute are allowed to each workspace. */
const PER_MINUTE = 120

let service: CellService
let atHome: Account
let elsewhere: Account

beforeAll(async () => {
  service = await startCells(PER_MINUTE)
  atHome = await service.createAccount('home', '50')
  elsewhere = await service.createAccount('other', '50')
}, 600_000)

afterAll(() => service.stop())

const router = (index: number) => service.routers[index % service.routers.length]!

test('a workspace lives in its cell with all that is its own, and home has its place alone', async () => {
  const { home, other } = service
  expect(await other.sql`select id from workspaces`).toEqual([{ id: elsewhere.workspaceId }])
  expect(await home.sql`select id from workspaces`).toEqual([{ id: atHome.workspaceId }])
  expect(await home.sql`select workspace_id, cell from placed_workspaces`).toEqual([
    { workspace_id: elsewhere.workspaceId, cell: 'other' },
  ])
  const answer = await ask(router(0), elsewhere.apiKey, false)
  expect(answer.status).toBe(200)
  expect(await other.sql`select id from generations`).toEqual([{ id: answer.generationId }])
  expect(await home.sql`select id from generations`).toEqual([])
  const record = await fetch(`${router(1).baseUrl}/generation?id=${answer.generationId}`, {
    headers: { authorization: `Bearer ${elsewhere.apiKey}` },
  })
  expect(record.status).toBe(200)
  expect((await ask(router(1), `sk-tee-v1-${'A'.repeat(43)}`, false)).status).toBe(401)
}, 600_000)

test.each([
  ['a few at a time', '0.05'],
  ['all', '50'],
])(
  '2 × 150 parallel requests at three routers, with credit for %s, keep overdraft bound, rate limit and ledger in two cells',
  async (_, dollars) => {
    const { home, other } = service
    const accounts = [
      { account: await service.createAccount('home', dollars), sql: home.sql },
      { account: await service.createAccount('other', dollars), sql: other.sql },
    ]
    const begun = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const owner = index % accounts.length
        return { owner, ...(await ask(router(index), accounts[owner]!.account.apiKey, index % 3 === 0)) }
      }),
    )
    const refilled = ((performance.now() - begun) * PER_MINUTE) / 60_000
    expect(answers.filter(({ status }) => ![200, 402, 429].includes(status))).toEqual([])
    for (const [owner, { account, sql }] of accounts.entries()) {
      const own = answers.filter((answer) => answer.owner === owner)
      const served = own.filter(({ status }) => status === 200)
      expect(served.filter(({ isWhole }) => !isWhole)).toEqual([])
      expect(served.length).toBeGreaterThanOrEqual(1)
      expect(served.length).toBeLessThanOrEqual(PER_MINUTE + refilled)
      if (dollars === '50') {
        expect(served.length).toBeGreaterThanOrEqual(PER_MINUTE)
        expect(own.filter(({ status }) => status === 402)).toEqual([])
      }
      await expectSound(sql, account, served.length)
    }
  },
  600_000,
)

test('while a cell is killed its own workspaces are refused with 503 and no other notices; then all adds up', async () => {
  const { home, other } = service
  const calm = await service.createAccount('home', '50')
  const hit = await service.createAccount('other', '50')
  expect((await ask(router(0), hit.apiKey, false)).status).toBe(200)

  const underWay = Array.from({ length: 12 }, (_, index) => ask(router(index), hit.apiKey, true))
  await Promise.race(underWay)
  await killServer(other.server)
  const refused = await chat(router(0), hit.apiKey, {})
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ error: { type: 'server_error', code: 'overloaded' } })
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.headers.get('x-should-retry')).toBe('true')

  const meanwhile = await Promise.all(
    Array.from({ length: 30 }, (_, index) => ask(router(index), calm.apiKey, index % 2 === 0)),
  )
  expect(meanwhile.filter(({ isWhole }) => !isWhole)).toEqual([])
  const ready = await Promise.all(service.routers.map(({ adminUrl }) => fetch(`${adminUrl}/readyz`)))
  expect(ready.map(({ status }) => status)).toEqual([200, 200, 200])
  const leases = new Set<number | undefined>()
  await vi.waitUntil(async () => {
    const metrics = await readMetrics(router(0).adminUrl)
    leases.add(valueIn(metrics, 'router_cells_leased', { cell: 'home' }))
    // What a busy database does not say in time is left out, and told by the next one.
    const isSettled = valueIn(metrics, 'router_holds_open', { cell: 'home' }) === 0
    return isSettled && valueIn(metrics, 'router_cells_leased', { cell: 'other' }) === 0
  }, PATIENT)
  expect([...leases]).toEqual([1])
  expect((await chat(router(0), hit.apiKey, {})).status).toBe(503)
  await expect(service.command('ledger', 'verify')).rejects.toMatchObject({
    stderr: expect.stringContaining('The database of the cell other cannot be reached'),
  })

  await other.server.embedded.ensureRunning()
  await vi.waitUntil(async () => (await ask(router(0), hit.apiKey, true)).isWhole, PATIENT)
  await vi.waitUntil(async () => (await verifyLedger(other.sql)).open_holds === 0, PATIENT)
  expect(await service.command('ledger', 'verify')).toMatchObject({ open_holds: 0, differences: [] })
  await expectSound(home.sql, calm, 30)
  // Whoever saw a clean end has a record that says so, whatever was killed meanwhile.
  const seen = (await Promise.all(underWay)).filter(({ isWhole }) => isWhole)
  const rows = await other.sql<{ id: string }[]>`
    select id from generations where workspace_id = ${hit.workspaceId} and status = 'ok'`
  const ok = new Set(rows.map(({ id }) => id))
  expect(seen.filter(({ generationId }) => !ok.has(generationId!))).toEqual([])
}, 600_000)

test('a router starts while a cell is away, refuses its workspaces alone, and takes it up when it is back', async () => {
  const { home, other } = service
  await killServer(other.server)
  const late = await service.startRouter()
  try {
    expect((await ask(late, atHome.apiKey, false)).status).toBe(200)
    expect((await ask(late, elsewhere.apiKey, false)).status).toBe(503)
    await other.server.embedded.ensureRunning()
    await vi.waitUntil(async () => (await ask(late, elsewhere.apiKey, false)).status === 200, PATIENT)
  } finally {
    await late.kill()
  }
  expect(await verifyLedger(home.sql)).toMatchObject({ differences: [] })
}, 600_000)

test('while home is killed the other cell serves the keys that a router has met, and no router is ready', async () => {
  const { home, other } = service
  expect((await ask(router(0), elsewhere.apiKey, false)).status).toBe(200)
  await killServer(home.server)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => ask(router(0), elsewhere.apiKey, index % 2 === 0)),
  )
  expect(answers.filter(({ isWhole }) => !isWhole)).toEqual([])
  expect((await ask(router(0), atHome.apiKey, false)).status).toBe(503)
  expect((await ask(router(0), `sk-tee-v1-${'B'.repeat(42)}A`, false)).status).toBe(503)
  const ready = await fetch(`${router(0).adminUrl}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([
    503,
    { reasons: expect.arrayContaining(['database_unreachable']) },
  ])
  await home.server.embedded.ensureRunning()
  await vi.waitUntil(async () => (await ask(router(0), atHome.apiKey, false)).status === 200, PATIENT)
  expect(await verifyLedger(other.sql)).toMatchObject({ differences: [] })
}, 600_000)

test('a file that lacks a cell in which workspaces live is refused as a setting', async () => {
  await expect(service.command('workspace', 'list', '--config', 'alone.yaml')).rejects.toMatchObject({
    code: 4,
    stderr: expect.stringContaining('database.cells: lacks other, and workspaces live there'),
  })
  const listed = await service.command<{ id: string; cell: string }[]>('workspace', 'list')
  expect(listed).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: atHome.workspaceId, cell: 'home' }),
      expect.objectContaining({ id: elsewhere.workspaceId, cell: 'other' }),
    ]),
  )
  expect(listed.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).toSorted())
}, 600_000)

test('keys, usage and the audit log are found in whichever cell they are', async () => {
  const { keyId, workspaceId } = await service.createAccount('other', '1')
  expect(await service.command('key', 'revoke', keyId)).toMatchObject({ id: keyId, state: 'revoked' })
  expect((await service.command<object[]>('key', 'list', '--workspace', workspaceId)).length).toBe(1)
  const acts = await service.command<{ act: string; subject: string }[]>('audit', '--limit', '4')
  expect(acts.map(({ act }) => act)).toEqual([
    'key_revoked',
    'key_created',
    'workspace_credited',
    'workspace_created',
  ])
  const usage = await service.command<{ lines: { workspace_id: string }[] }>('usage')
  const owners = new Set(usage.lines.map(({ workspace_id: id }) => id))
  expect([owners.has(atHome.workspaceId), owners.has(elsewhere.workspaceId)]).toEqual([true, true])
}, 600_000)

test('a pause that no timer holds is wrong usage', async () => {
  const move = ['cell', 'move', atHome.workspaceId, '--to', 'other', '--pause', '4294968']
  await expect(service.command(...move)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--pause must be at most 86400 seconds'),
  })
}, 600_000)

test('months are those of the cell that is named, and a name that is none is wrong usage', async () => {
  const { home, other } = service
  const months = await Promise.all([
    service.command<object[]>('retention', 'list', '--cell', 'other'),
    service.command<object[]>('retention', 'list'),
  ])
  const counted = await Promise.all([other.sql, home.sql].map((sql) => sql`select from book_months`))
  expect(months.map(({ length }) => length)).toEqual(counted.map(({ length }) => length))
  await expect(service.command('retention', 'list', '--cell', 'nowhere')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no cell nowhere'),
  })
}, 600_000)
