import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadRouterConfig } from '../config/router.ts'
import { silent } from '../log.ts'
import { connect } from '../store/connection.ts'
import { findOwner } from '../store/embedded/owner.ts'
import { findPlace } from '../store/embedded/place.ts'
import { findPostmaster } from '../store/embedded/postmaster.ts'
import { type Embedded, startEmbedded } from '../store/embedded.ts'
import { type OpenDatabase, openDatabase } from './database.ts'
import { reach, sessionsFor, stopUnused, type User } from './own-database.ts'

let folder: string
let databaseDir: string | undefined
const opened: OpenDatabase[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'router-own-'))
  const model =
    'contextLength: 8192, pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }, endpoint: demo'
  writeFileSync(
    join(folder, 'router.yaml'),
    `dataDir: ${folder}
endpoints: [ { name: demo, hostname: router.localhost } ]
models: [ { id: demo/tiny-chat, ${model}, backends: [ { url: "http://127.0.0.1:1/v1" } ] } ]
`,
  )
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
  if (databaseDir !== undefined) rmSync(dirname(databaseDir), { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
})

async function open(user: User, maxConnections = 8): Promise<OpenDatabase> {
  const config = loadRouterConfig(join(folder, 'router.yaml'), {})
  const bounded = { ...config, database: { ...config.database, maxConnections } }
  const database = await openDatabase(bounded, silent, user)
  databaseDir = database.embedded!.databaseDir
  opened.push(database)
  return database
}

test('a command that has started the database takes it from no other command (OPS-32)', async () => {
  const [first, second] = [await open('command'), await open('command')]
  expect([first.embedded!.adopted, second.embedded!.adopted]).toEqual([false, true])
  const leaving = first.close()
  expect([...(await second.sql`select pg_sleep(1), 1 as one`)]).toMatchObject([{ one: 1 }])
  expect([...(await second.sql`select 2 as two`)]).toEqual([{ two: 2 }])
  await second.close()
  await leaving
  opened.length = 0
  expect(first.embedded!.pid()).toBeUndefined()
})

test('a command that has started the database leaves it to a router (OPS-32)', async () => {
  const [command, router] = [await open('command'), await open('router')]
  await command.close()
  opened.shift()
  expect([...(await router.sql`select 1 as one`)]).toEqual([{ one: 1 }])
  await router.close()
  opened.length = 0
  // Whoever has not started it does not stop it.
  expect(command.embedded!.pid()).toBeDefined()
  await command.embedded!.stop()
})

test.each([
  ['while the database starts', 0, 'SIGINT'],
  ['while its tables are made', 300, 'SIGTERM'],
] as const)(
  'a command that a signal ends leaves no database behind: %s (OPS-32)',
  async (_, waitsMs, signal) => {
    databaseDir = findPlace(folder, await findOwner()).databaseDir
    const words = ['ledger', 'verify', '--config', join(folder, 'router.yaml')]
    const child = spawn(fileURLToPath(new URL('../../bin/router', import.meta.url)), words, {
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    while (findPostmaster(databaseDir) === undefined) await sleep(5)
    await sleep(waitsMs)
    child.kill(signal)
    expect(await exited).toEqual([null, signal])
    expect(findPostmaster(databaseDir)).toBeUndefined()
  },
)

test('commands that come as others end all do their work, and leave no database behind (OPS-32)', async () => {
  databaseDir = findPlace(folder, await findOwner()).databaseDir
  const words = ['workspace', 'list', '--config', join(folder, 'router.yaml')]
  const router = fileURLToPath(new URL('../../bin/router', import.meta.url))
  for (let round = 0; round < 4; round++) {
    const ended: Promise<{ code: number | null; said: string }>[] = []
    for (const restMs of [0, 300, 150, 100]) {
      await sleep(restMs)
      const child = spawn(router, words, { stdio: ['ignore', 'ignore', 'pipe'] })
      ended.push(
        Promise.all([text(child.stderr), once(child, 'exit')]).then(([said, [code]]) => ({ code, said })),
      )
    }
    for (const one of await Promise.all(ended)) expect(one).toEqual({ code: 0, said: '' })
    expect(findPostmaster(databaseDir)).toBeUndefined()
  }
})

/** Connects and says who it is, but never proves it. */
async function comeAsStranger({ url }: Embedded): Promise<Socket> {
  const stranger = connectTcp(Number(new URL(url).port), '127.0.0.1')
  const parameters = Buffer.from('\0\x03\0\0user\0nobody\0\0')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(length.length + parameters.length)
  stranger.on('error', () => {}).write(Buffer.concat([length, parameters]))
  // The request for a password.
  await once(stranger, 'data')
  return stranger
}

test('whoever has connected and says no more keeps nobody from stopping the database for long (OPS-32)', async () => {
  const { embedded, close } = await open('command')
  opened.length = 0
  const stranger = await comeAsStranger(embedded!)
  const begun = performance.now()
  await close()
  stranger.destroy()
  expect(embedded!.pid()).toBeUndefined()
  // Commands are waited for for sixty seconds.
  expect(performance.now() - begun).toBeLessThan(30_000)
})

test('whoever has just connected may be a command, and is waited for (OPS-32)', async () => {
  const { embedded, close } = await open('command')
  opened.length = 0
  const stranger = await comeAsStranger(embedded!)
  const looking = vi.spyOn(embedded!, 'stopUnless')
  const closing = close()
  await vi.waitFor(() => expect(looking.mock.calls.length).toBeGreaterThan(2))
  expect(embedded!.pid()).toBeDefined()
  stranger.destroy()
  await closing
  expect(embedded!.pid()).toBeUndefined()
})

test('a command whose work is done does not fail where the database cannot be stopped (OPS-32)', async () => {
  const { embedded, close } = await open('command')
  opened.length = 0
  const stopping = vi
    .spyOn(embedded!, 'stopUnless')
    .mockRejectedValue(new Error('Process 1 has held it for 60 s'))
  await close()
  expect(stopping).toHaveBeenCalledOnce()
  await embedded!.stop()
})

test.each([
  ['a database that lives is taken for one that others use', 1, true],
  ['a database that has died is used by nobody', undefined, false],
])('where it cannot be asked, %s (OPS-32)', async (_, pid, isNeeded) => {
  const looks: boolean[] = []
  const embedded = {
    url: 'postgres://router:x@127.0.0.1:1/router',
    pid: () => pid,
    async stopUnless(look: () => Promise<boolean>) {
      looks.push(await look())
      return true
    },
  } as Embedded
  await stopUnused('command', embedded, sessionsFor('command'))
  expect(looks).toEqual([isNeeded])
})

test('a database that was stopped between its adoption and the first word is started again', async () => {
  const first = await startEmbedded({ dataDir: folder, log: silent })
  const second = await startEmbedded({ dataDir: folder, log: silent })
  databaseDir = first.databaseDir
  await first.stop()
  const sql = connect({ url: second.url, maxConnections: 1 })
  try {
    await reach(sql, second)
    expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }])
    expect(second.adopted).toBe(false)
  } finally {
    await sql.end({ timeout: 1 })
    await second.stop()
  }
})

test('an error of the router’s own database names its folder, and no address that nobody has set', async () => {
  const { embedded, sql } = await open('command')
  await sql`update router_migrations set version = 9999 where version = (select max(version) from router_migrations)`
  const config = loadRouterConfig(join(folder, 'router.yaml'), {})
  const opening = openDatabase(config, silent, 'command')
  await expect(opening).rejects.toThrow(`It is the router's own, in ${config.dataDir}: see dataDir`)
  expect(embedded!.pid()).toBeDefined()
})

test('a router books over two of its connections, unless it has no more than those; a command needs none for that', async () => {
  const most = async (user: User, maxConnections: number) => {
    const { sql, bookings } = await open(user, maxConnections)
    return [sql.options.max, bookings?.admission.options.max, bookings?.settlement.options.max]
  }
  expect(await most('router', 8)).toEqual([6, 1, 1])
  expect(await most('router', 3)).toEqual([1, 1, 1])
  expect(await most('router', 2)).toEqual([2, undefined, undefined])
  expect(await most('command', 8)).toEqual([8, undefined, undefined])
})
