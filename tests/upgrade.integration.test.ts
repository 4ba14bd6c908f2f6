import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import { connect, type Sql } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { ask } from './answer.ts'
import { type RouterProcess, type RouterProcessOptions, startRouterProcess } from './router-process.ts'
import { chat, createAccount } from './service.ts'
import { A_WORD_FIRST, delta, END, startWaitingModel, type WaitingModel } from './waiting-model.ts'

const ROOT = join(import.meta.dirname, '..')
const MIGRATIONS = 'server/store/migrations'
/** What a program consists of when it is installed. */
const PROGRAM = ['base', 'bin', 'config', 'egress', 'attestation', 'generated', 'server', 'package.json']
/** Enough for every stream of these tests to end by itself. */
const DRAIN_MS = 60_000
const TIMES = 20

/** An expansion of every table that both versions use at the same time, those above all that are read whole. */
const EXPANSION = `
alter table workspaces add column next_note text;
alter table api_keys add column next_note text;
alter table generations add column next_note text;
alter table ledger add column next_note text;
alter table holds add column next_note text;
alter table upstreams add column next_note text not null default 'none';
alter table publications add column next_note text;
create index next_holds on holds (generation_id);
create table next_things (id text primary key, of_workspace text references workspaces (id));
`

let server: TestServer
let backend: Backend
let model: WaitingModel
let folder: string
/** `bin/router` of the version that comes next: this one with one migration more. */
let nextLauncher: string
const ours = globSync('*.sql', { cwd: join(ROOT, MIGRATIONS) }).length

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'upgrade-'))
  for (const part of PROGRAM) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const name = `${String(ours + 1).padStart(3, '0')}.do.next.sql`
  writeFileSync(join(folder, MIGRATIONS, name), EXPANSION)
  nextLauncher = join(folder, 'bin/router')
  server = await startTestServer()
  backend = await createBackend({ paceMs: 1 })
  model = await startWaitingModel()
})

afterAll(async () => {
  model.close()
  await backend.close()
  await server.stop()
  rmSync(folder, { recursive: true })
})

const schemaOf = async (sql: Sql): Promise<number> => {
  const [row] = await sql<[{ version: number }]>`select max(version)::int as version from router_migrations`
  return row.version
}

/** Routers of both versions on one new database, and its books. */
async function openSite() {
  const url = await server.createDatabase()
  const sql = connect({ url })
  const routers: RouterProcess[] = []
  return {
    sql,
    async start(to: string, options: RouterProcessOptions = {}): Promise<RouterProcess> {
      const router = await startRouterProcess(url, to, { drainMs: DRAIN_MS, ...options })
      routers.push(router)
      return router
    },
    async close() {
      for (const router of routers) await router.kill()
      await sql.end()
    },
  }
}

/** Asks for a stream and resolves once its first word is there. */
async function startStream(router: RouterProcess, apiKey: string) {
  const content = A_WORD_FIRST
  const response = await chat(router, apiKey, { stream: true, messages: [{ role: 'user', content }] })
  expect(response.status).toBe(200)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('first')) text += (await reader.read()).value ?? expect.unreachable(text)
  const at = model.waiting.length - 1
  return {
    /** Has the model come to its end, and gives all that the client was sent. */
    async finish(): Promise<string> {
      model.waiting[at]!.end(delta('second') + END)
      for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value
      return text
    },
  }
}

test('routers are replaced one by one by a version with a newer schema: no stream is cut, and no row is lost', async () => {
  const { sql, start, close } = await openSite()
  const older = await start(model.url)
  expect(await schemaOf(sql)).toBe(ours)
  const { apiKey } = await createAccount(sql, 50_000_000n)
  const across = await startStream(older, apiKey)

  const newer = await start(model.url, { launcher: nextLauncher })
  expect(await schemaOf(sql)).toBe(ours + 1)
  const [fromOlder, fromNewer] = [await startStream(older, apiKey), await startStream(newer, apiKey)]
  expect(await across.finish()).toMatch(/second.*data: \[DONE\]\n\n$/s)
  expect(await fromNewer.finish()).toMatch(/second.*data: \[DONE\]\n\n$/s)

  // The older one goes while one of its streams runs.
  const gone = once(older.child, 'exit')
  older.child.kill('SIGTERM')
  await vi.waitFor(async () => expect((await fetch(`${older.adminUrl}/readyz`)).status).toBe(503))
  expect(await fromOlder.finish()).toMatch(/second.*data: \[DONE\]\n\n$/s)
  expect(await gone).toEqual([0, null])

  expect(await verifyLedger(sql)).toMatchObject({ generations: 3, open_holds: 0, differences: [] })
  const [row] = await sql<[{ whole: bigint }]>`select count(*) as whole from generations where status = 'ok'`
  expect(row.whole).toBe(3n)
  await close()
})

test('requests at both versions all the while are each answered, recorded and booked once', async () => {
  const { sql, start, close } = await openSite()
  const older = await start(backend.url)
  const { apiKey } = await createAccount(sql, 50_000_000n)
  const askMany = (router: RouterProcess) =>
    Promise.all(Array.from({ length: TIMES }, (_, index) => ask(router, apiKey, index % 2 === 0)))
  const before = await askMany(older)

  let isOver = false
  const during: Awaited<ReturnType<typeof ask>>[] = []
  const asking = (async () => {
    for (let index = 0; !isOver; index++) during.push(await ask(older, apiKey, index % 2 === 0))
  })()
  const newer = await start(backend.url, { launcher: nextLauncher })
  const sideBySide = [...(await askMany(older)), ...(await askMany(newer))]
  isOver = true
  await asking

  const answers = [...before, ...during, ...sideBySide]
  expect(during.length).toBeGreaterThan(0)
  expect(answers.filter(({ isWhole }) => !isWhole)).toEqual([])
  const records = await sql<{ id: string }[]>`select id from generations`
  expect(new Set(records.map(({ id }) => id))).toEqual(new Set(answers.map((answer) => answer.generationId)))
  expect(await verifyLedger(sql)).toMatchObject({
    generations: answers.length,
    open_holds: 0,
    differences: [],
  })
  await close()
})

test('an older version does not start on tables that it does not know, and says so', async () => {
  const { start, close } = await openSite()
  await start(backend.url, { launcher: nextLauncher })
  await expect(start(backend.url)).rejects.toThrow(
    `The database is at version ${ours + 1}, this program knows ${ours}`,
  )
  await close()
})
