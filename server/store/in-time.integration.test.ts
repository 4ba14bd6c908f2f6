import { once } from 'node:events'
import { type AddressInfo, createServer, connect as dial, type Server } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connect, type Queryable, type Sql } from './connection.ts'
import { processesIn } from './embedded/process.ts'
import { inTime } from './in-time.ts'
import { OutageError } from './outage.ts'
import { startTestServer, type TestServer } from './testing.ts'

/** Long enough to begin in on a busy machine. */
const PATIENCE_MS = 1_500

let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
  await sql`create table notes (text text)`
})

beforeEach(async () => {
  await sql`truncate notes`
})

afterAll(() => server.stop())

const soon = () => performance.now() + PATIENCE_MS
const write = (transaction: Queryable) => transaction`insert into notes values ('written')`
const notes = async (): Promise<number> => (await sql`select from notes`).length
const isQuiet = () =>
  vi.waitUntil(async () => {
    const busy = await sql`select from pg_stat_activity where state <> 'idle' and pid <> pg_backend_pid()
      and backend_type = 'client backend'`
    return busy.length === 0
  })

test('what is written in time is committed, and a failure of its own writes nothing', async () => {
  const given = await inTime(sql, soon(), async (transaction) => {
    await write(transaction)
    return [1, 2]
  })
  expect([given, await notes()]).toEqual([[1, 2], 1])
  const failing = inTime(sql, soon(), async (transaction) => {
    await write(transaction)
    throw new TypeError('it is not as it should be')
  })
  await expect(failing).rejects.toThrow(TypeError)
  expect(await notes()).toBe(1)
})

test('what comes too late to be begun asks the database nothing', async () => {
  const work = vi.fn()
  await expect(inTime(sql, performance.now(), work)).rejects.toThrow(OutageError)
  expect(work).not.toHaveBeenCalled()
})

test('a statement that a lock holds up is given up in time', async () => {
  const other = await sql.reserve()
  await other`begin`
  await other`lock table notes in share mode`
  await expect(inTime(sql, soon(), write)).rejects.toThrow(OutageError)
  await other`commit`
  other.release()
  await isQuiet()
  expect(await notes()).toBe(0)
})

test('what was written before a database stood still is not committed when it goes on', async () => {
  const processes = processesIn(server.embedded.databaseDir)
  const untilMs = soon()
  const late = inTime(sql, untilMs, async (transaction) => {
    await write(transaction)
    for (const pid of processes) process.kill(pid, 'SIGSTOP')
  })
  const told = expect(late).rejects.toThrow(OutageError)
  await vi.waitUntil(() => performance.now() > untilMs, { timeout: 2 * PATIENCE_MS })
  for (const pid of processes) process.kill(pid, 'SIGCONT')
  await told
  expect(await notes()).toBe(0)
})

test('a commit that is on its way for too long finds nothing to commit, and the pool goes on', async () => {
  const wire = await holdCommits()
  const pool = connect({ url: wire.url, maxConnections: 1 })
  const untilMs = soon()
  const late = inTime(pool, untilMs, write)
  const told = expect(late).rejects.toThrow(OutageError)
  await vi.waitUntil(() => performance.now() > untilMs, { timeout: 2 * PATIENCE_MS })
  wire.letGo()
  await told
  await isQuiet()
  expect(await notes()).toBe(0)
  // The first one to take that place in the pool is told of its end again.
  await vi.waitFor(() => inTime(pool, soon(), write), { timeout: 10 * PATIENCE_MS })
  expect(await notes()).toBe(1)
  await pool.end()
  wire.server.close()
})

/** A way to the database on which the first commit waits until it is let go. */
async function holdCommits(): Promise<{ url: string; server: Server; letGo(): void }> {
  const [database] = await sql<{ name: string }[]>`select current_database() as name`
  const url = new URL(server.embedded.url)
  const [host, port] = [url.hostname, Number(url.port)]
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>()
  const wire = createServer((near) => {
    const far = dial(port, host)
    near.on('error', () => {})
    far.on('error', () => {})
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    far.pipe(near)
    near.on('data', async (bytes: Buffer) => {
      if (bytes.includes('commit')) await isLetGo
      if (!far.destroyed) far.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(wire, 'listening')
  url.port = String((wire.address() as AddressInfo).port)
  url.pathname = database!.name
  return { url: url.href, server: wire, letGo }
}
