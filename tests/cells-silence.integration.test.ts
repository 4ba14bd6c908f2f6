import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { claimCell, claimHome } from '../server/store/cell-identity.ts'
import type { Sql } from '../server/store/connection.ts'
import { placeKey, placeWorkspace } from '../server/store/directory.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { ask } from './answer.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'
import { createAccount } from './service.ts'
import { type Switch, startSwitch } from './switch.ts'

let server: TestServer
let backend: Backend
/** Between the routers and the cell. */
let link: Switch
let atHome: string
let elsewhere: string
let start: () => Promise<RouterProcess>

beforeAll(async () => {
  server = await startTestServer()
  backend = await createBackend({ paceMs: 1 })
  const home = await server.open()
  const other = await server.open()
  const url = new URL(other.url)
  link = await startSwitch(Number(url.port))
  url.port = String(link.port)
  await claimCell(other.sql, await claimHome(home.sql), 'other')
  atHome = (await createAccount(home.sql, 50_000_000n)).apiKey
  elsewhere = await createPlacedAccount(home.sql, other.sql)
  start = () => startRouterProcess(home.url, backend.url, { cells: [{ name: 'other', url: url.href }] })
}, 120_000)

afterAll(async () => {
  await link.close()
  await backend.close()
  await server.stop()
})

async function createPlacedAccount(home: Sql, other: Sql): Promise<string> {
  const { workspaceId, keyId, apiKey } = await createAccount(other, 50_000_000n)
  await placeWorkspace(home, workspaceId, 'other')
  await placeKey(home, { keyHash: hash('sha256', apiKey, 'buffer'), keyId, workspaceId })
  return apiKey
}

// One that is killed refuses connections, which is known at once. This one has taken them, and says nothing.
test('a cell that falls silent is away for its own workspaces alone, and keeps no router from starting or ending', async () => {
  const router = await start()
  expect((await ask(router, elsewhere, false)).status).toBe(200)
  expect((await ask(router, atHome, false)).status).toBe(200)

  const speak = link.silence()
  const waiting = Array.from({ length: 100 }, () => ask(router, elsewhere, false))
  const meanwhile = await Promise.all(
    Array.from({ length: 30 }, (_, index) => ask(router, atHome, index % 2 === 0)),
  )
  expect(meanwhile.filter(({ isWhole }) => !isWhole)).toEqual([])
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 503))

  const late = await start()
  expect((await ask(late, atHome, false)).status).toBe(200)
  expect((await ask(late, elsewhere, false)).status).toBe(503)
  await late.stop()

  speak()
  await vi.waitUntil(async () => (await ask(router, elsewhere, true)).isWhole, {
    timeout: 120_000,
    interval: 200,
  })
  expect(valueIn(await readMetrics(router.adminUrl), 'router_cells_leased', { cell: 'other' })).toBe(1)
  link.silence()
  await router.stop()
}, 600_000)
