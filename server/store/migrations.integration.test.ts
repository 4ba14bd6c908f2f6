import { readdirSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connect, type Sql } from './connection.ts'
import { LOCK, migrate } from './migrations.ts'
import { startTestServer, type TestServer } from './testing.ts'

const ours = fileURLToPath(new URL('migrations', import.meta.url))
const COUNT = readdirSync(ours).length
let server: TestServer
let url: string

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

beforeEach(async () => {
  url = await server.createDatabase()
})

async function withPools<T>(count: number, task: (pools: Sql[]) => Promise<T>): Promise<T> {
  const pools = Array.from({ length: count }, () => connect({ url, maxConnections: 1 }))
  try {
    return await task(pools)
  } finally {
    await Promise.all(pools.map((pool) => pool.end()))
  }
}

/** Runs `task` with a copy of the migrations that it may change. */
async function withCopy(task: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'router-migrations-'))
  try {
    await cp(ours, folder, { recursive: true })
    await task(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('five routers may start at once on an empty database', async () => {
  const applied = await withPools(5, (pools) => Promise.all(pools.map((pool) => migrate(pool))))
  expect(applied.toSorted()).toEqual([0, 0, 0, 0, COUNT])
})

test('without prepared statements, as through a pooler in transaction mode, it works the same', async () => {
  const sql = connect({ url, maxConnections: 2, preparedStatements: false })
  try {
    expect(await migrate(sql)).toBe(COUNT)
    expect(await migrate(sql)).toBe(0)
  } finally {
    await sql.end()
  }
})

test('it leaves nothing behind in the session: no lock, no setting', async () => {
  await withPools(1, async ([sql]) => {
    const settings = () => sql!`select name, setting from pg_settings where source = 'session' order by name`
    const before = await settings()
    await migrate(sql!)
    expect(await settings()).toEqual(before)
    expect(await sql!`select * from pg_locks where locktype = 'advisory'`).toEqual([])
  })
})

test('whoever has nothing to apply waits for nobody who migrates, whatever line ends its files have', async () => {
  await withPools(2, async ([sql, other]) => {
    await migrate(sql!)
    await withCopy(async (folder) => {
      for (const name of readdirSync(folder)) {
        const file = join(folder, name)
        await writeFile(file, (await readFile(file, 'utf8')).replaceAll('\n', '\r\n'))
      }
      await other!.begin(async (transaction) => {
        await transaction`select pg_advisory_xact_lock(${LOCK})`
        expect([await migrate(sql!), await migrate(sql!, folder)]).toEqual([0, 0])
      })
    })
  })
})

test('a migration that was changed after it was applied is refused', async () => {
  await withPools(1, async ([sql]) => {
    await migrate(sql!)
    await withCopy(async (folder) => {
      await writeFile(join(folder, '001.do.accounts.sql'), 'select 1;')
      await expect(migrate(sql!, folder)).rejects.toThrow('MD5 checksum failed for migration [1]')
    })
  })
})

test('a migration that fails leaves everything as it was', async () => {
  await withPools(1, async ([sql]) => {
    await withCopy(async (folder) => {
      await writeFile(join(folder, '900.do.broken.sql'), 'create table half (); select nonsense;')
      await expect(migrate(sql!, folder)).rejects.toThrow('nonsense')
    })
    expect(await sql!`select tablename from pg_tables where schemaname = 'public'`).toEqual([])
  })
})

test('a database that a newer program has migrated is refused', async () => {
  await withPools(1, async ([sql]) => {
    await withCopy(async (folder) => {
      await writeFile(join(folder, '900.do.later.sql'), 'select 1;')
      await migrate(sql!, folder)
    })
    await expect(migrate(sql!)).rejects.toThrow('The database is at version 900')
  })
})

test('a migration waits behind whoever reads a table for long, and nobody who only reads it waits behind that', async () => {
  await withPools(3, async ([sql, backup, router]) => {
    await migrate(sql!)
    await withCopy(async (folder) => {
      await writeFile(join(folder, '900.do.later.sql'), 'alter table upstreams add column later integer;')
      const { promise: read, resolve: end } = Promise.withResolvers<void>()
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const dump = backup!.begin(async (transaction) => {
        await transaction`select from upstreams`
        begin()
        await read
      })
      await begun
      let isMigrated = false
      const migrated = migrate(sql!, folder).then(() => {
        isMigrated = true
      })
      const isWaiting = async () =>
        (await router!`select from pg_locks where not granted and mode = 'AccessExclusiveLock'`).length > 0
      // It has come as far as the table more than once.
      for (let times = 0; times < 2; times++) {
        await vi.waitUntil(isWaiting, { timeout: 60_000, interval: 5 })
        await router!`select from upstreams`
      }
      expect(isMigrated).toBe(false)
      end()
      await Promise.all([dump, migrated])
      expect(isMigrated).toBe(true)
    })
  })
})
