import { connect, type Sql } from '../store/connection.ts'
import { migrate } from '../store/migrations.ts'
import type { TestServer } from '../store/testing.ts'

/** A database whose clock a test sets. */
export interface ClockedDatabase {
  readonly url: string
  readonly sql: Sql
  /** From now on it goes on from there. */
  setClock(time: string): Promise<void>
}

/** Opens a new database with all tables; whoever connects to it finds this clock in place of the server's. */
export async function openClocked(
  server: TestServer,
  time: string,
  prepare: (sql: Sql) => Promise<unknown> = migrate,
): Promise<ClockedDatabase> {
  const url = await server.createDatabase()
  const name = new URL(url).pathname.slice(1)
  const before = connect({ url, maxConnections: 1 })
  await before.unsafe(`
    create schema clock;
    create table clock.ahead (by interval not null);
    insert into clock.ahead values ('0');
    create function clock.clock_timestamp() returns timestamptz language sql volatile
    return pg_catalog.clock_timestamp() + (select by from clock.ahead);
    alter database ${name} set search_path = public, clock, pg_catalog;`)
  const setClock = async (now: string): Promise<void> => {
    await before`update clock.ahead set by = ${now}::timestamptz - pg_catalog.clock_timestamp()`
  }
  await setClock(time)
  const sql = connect({ url, maxConnections: 8 })
  await prepare(sql)
  closing.push(async () => {
    await Promise.all([before.end({ timeout: 1 }), sql.end({ timeout: 1 })])
  })
  return { url, sql, setClock }
}

const closing: (() => Promise<void>)[] = []

/** Closes what was opened. */
export async function closeClocked(): Promise<void> {
  await Promise.all(closing.splice(0).map((close) => close()))
}
