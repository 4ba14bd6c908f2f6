import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { connect, type Sql } from '../server/store/connection.ts'
import { findBinaries } from '../server/store/embedded/binaries.ts'
import { findOwner, type Owner } from '../server/store/embedded/owner.ts'
import { findPlace } from '../server/store/embedded/place.ts'
import { freePort } from './gateway.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'
import { chat, createAccount } from './service.ts'

const ROOT = join(import.meta.dirname, '..')
const USER = 'owner'
/** Debian's own server, of which nothing is on the PATH. */
const DEBIAN = globSync('/usr/lib/postgresql/*/bin').sort().at(-1) ?? ''

const folder = mkdtempSync(join(tmpdir(), 'restore-'))
const closers: (() => Promise<unknown>)[] = []
let owner: Owner | undefined
let backend: Backend

/** Runs one of PostgreSQL's programs, or a script of ours that does, as the user that owns its files. */
function run(file: string, ...words: string[]): string {
  const env = { ...process.env, PATH: `${DEBIAN}:${process.env.PATH}`, PGUSER: USER }
  return execFileSync(file, words, { ...owner, cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
}

const ours = (name: string) => join(ROOT, 'deploy/postgresql', name)
const urlOf = (at: number) => `postgres://${USER}@127.0.0.1:${at}/postgres`

interface Database {
  readonly sql: Sql
  readonly url: string
  /** SIGKILL to all of it: nothing is flushed and nobody is told. */
  kill(): Promise<void>
}

/** Starts PostgreSQL on a data folder, and waits until it takes writes. */
async function startDatabase(postgres: string, data: string): Promise<Database> {
  const at = await freePort()
  const words = ['-D', data, '-p', String(at), '-c', 'listen_addresses=127.0.0.1', '-k', folder]
  const said: string[] = []
  const server = spawn(postgres, words, {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  server.stderr.on('data', (text) => said.push(String(text)))
  const exited = once(server, 'exit')
  const sql = connect({ url: urlOf(at) })
  const kill = async () => {
    await sql.end({ timeout: 0 })
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await exited
  }
  closers.push(kill)
  await vi.waitFor(
    async () => {
      if (server.exitCode !== null) throw new Error(said.join(''))
      const [row] = await sql<[{ isRecovering: boolean }]>`select pg_is_in_recovery() as "isRecovering"`
      expect(row.isRecovering).toBe(false)
    },
    { timeout: 120_000, interval: 100 },
  )
  return { sql, url: urlOf(at), kill }
}

async function startRouter(database: Database): Promise<RouterProcess> {
  const router = await startRouterProcess(database.url, backend.url, { folder })
  closers.push(router.kill)
  return router
}

/** Asks so many times; gives the ids of what was answered. */
async function ask(router: RouterProcess, apiKey: string, times: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < times; index++) {
    const response = await chat(router, apiKey, {})
    expect(response.status).toBe(200)
    ids.push(((await response.json()) as { id: string }).id)
  }
  return ids
}

const recordsIn = async ({ sql }: Database) =>
  (await sql<{ id: string }[]>`select id from generations order by id`).map(({ id }) => id)

beforeAll(async () => {
  owner = await findOwner()
  chmodSync(folder, 0o755)
  if (owner) chownSync(folder, owner.uid, owner.gid)
  backend = await createBackend({ paceMs: 1 })
})

afterAll(async () => {
  for (const close of closers.reverse()) await close()
  await backend.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What a drill is done with. */
interface Tools {
  /** Where it has its files. */
  readonly name: string
  readonly initdb: string
  readonly postgres: string
  /** Makes a base backup of a database that serves. */
  backUp(database: Database, data: string, base: string): Promise<void>
}

function makeFolder(...names: readonly string[]): string {
  const made = join(folder, ...names)
  mkdirSync(made)
  if (owner) chownSync(made, owner.uid, owner.gid)
  return made
}

/** What pg_basebackup does, by PostgreSQL's own functions: a copy while it writes, and what mends the copy. */
async function copyWhileItServes({ sql }: Database, data: string, base: string): Promise<void> {
  const session = await sql.reserve()
  await session`select pg_backup_start('drill', fast => true)`
  const copy =
    'mkdir -m 0700 "$1" && tar -C "$0" --exclude="./pg_wal/*" --exclude="./postmaster.*" -cf - . | tar -C "$1" -xf -'
  run('sh', '-c', copy, data, base)
  const [{ label }] = await session<[{ label: string }]>`select labelfile as label from pg_backup_stop()`
  session.release()
  run('sh', '-c', 'printf %s "$1" >"$0"', join(base, 'backup_label'), label)
}

test('the books are restored to a moment between two requests, prove themselves, and serve on', async () => {
  const { initdb, postgres } = findBinaries(findPlace(folder, owner), owner)
  await drill({ name: 'embedded', initdb, postgres, backUp: copyWhileItServes })
})

test('the same by the scripts, with the programs of Debian', { tags: ['pg_basebackup'] }, async () => {
  await drill({
    name: 'debian',
    initdb: join(DEBIAN, 'initdb'),
    postgres: join(DEBIAN, 'postgres'),
    backUp: async ({ url }, _data, base) => void run(ours('base-backup.sh'), url, base),
  })
})

async function drill({ name, initdb, postgres, backUp }: Tools): Promise<void> {
  const home = makeFolder(name)
  const kept = makeFolder(name, 'router')
  const archive = makeFolder(name, 'router', 'wal')
  const data = join(home, 'data')
  run(initdb, '-D', data, '-U', USER, '-A', 'trust')
  const settings = readFileSync(ours('archive.conf'), 'utf8').replaceAll('/var/backups/router', kept)
  const conf = join(data, 'postgresql.conf')
  writeFileSync(conf, `${readFileSync(conf, 'utf8')}\n${settings}`)
  const database = await startDatabase(postgres, data)
  const router = await startRouter(database)
  const { apiKey } = await createAccount(database.sql, 5_000_000n)
  const beforeBackup = await ask(router, apiKey, 5)

  const base = join(kept, 'base')
  await backUp(database, data, base)
  const afterBackup = await ask(router, apiKey, 5)
  const [{ moment }] = await database.sql<[{ moment: string }]>`select clock_timestamp()::text as moment`
  const tooLate = await ask(router, apiKey, 5)
  expect(await recordsIn(database)).toHaveLength(15)

  // What is in the archive is not lost with the machine; a minute is the most that is not there yet.
  const [{ segment }] = await database.sql<
    [{ segment: string }]
  >`select pg_walfile_name(pg_switch_wal()) as segment`
  await vi.waitFor(() => expect(globSync('*', { cwd: archive })).toContain(segment), {
    timeout: 60_000,
    interval: 50,
  })
  await router.kill()
  await database.kill()
  rmSync(data, { recursive: true })

  const restored = join(home, 'restored')
  run(ours('restore.sh'), base, archive, restored, moment)
  const second = await startDatabase(postgres, restored)
  expect(await recordsIn(second)).toEqual([...beforeBackup, ...afterBackup].sort())
  const verified = execFileSync(
    join(ROOT, 'bin/router'),
    ['ledger', 'verify', '--json', '--config', join(folder, 'router.yaml')],
    { env: { ...process.env, DATABASE_URL: second.url }, encoding: 'utf8' },
  )
  expect(JSON.parse(verified)).toMatchObject({ generations: 10, differences: [] })
  const again = await startRouter(second)
  const later = await ask(again, apiKey, 2)
  expect(await recordsIn(second)).toEqual([...beforeBackup, ...afterBackup, ...later].sort())
  await again.kill()

  const whole = join(home, 'whole')
  run(ours('restore.sh'), base, archive, whole)
  const third = await startDatabase(postgres, whole)
  expect(await recordsIn(third)).toEqual([...beforeBackup, ...afterBackup, ...tooLate].sort())
  await third.kill()
  await second.kill()
}

test('a restore does not touch a folder that is there', () => {
  mkdirSync(join(folder, 'mine'))
  expect(() => run(ours('restore.sh'), '/nowhere', '/nowhere', join(folder, 'mine'))).toThrow(
    'is there already',
  )
})
