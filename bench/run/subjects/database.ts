import { connect, type Sql } from '../../../server/store/connection.ts'
import { DURABLE, startTestServer } from '../../../server/store/testing.ts'
import { createAccount } from '../../../tests/service.ts'
import { pin } from '../cpu/cores.ts'

/** A PostgreSQL of one subject, with a workspace that can pay for the whole run. */
export interface Database {
  readonly url: string
  readonly sql: Sql
  readonly workspaceId: string
  readonly keyId: string
  readonly apiKey: string
  readonly pid: number
  /** How many statements it has executed so far, by its own count. */
  statements(): Promise<number>
  /** Throws, stopped, when anybody has asked for less than durable commits meanwhile. */
  stop(): Promise<void>
}

/** More than any run can spend. */
const BALANCE_MICROS = 1_000_000_000_000n
const LIMITS = { requestsPerMinute: 2_000_000_000, tokensPerMinute: 1_000_000_000_000 }

/** Starts it on a core, with all tables. */
export async function startDatabase(core: number | undefined): Promise<Database> {
  const server = await startTestServer(DURABLE)
  try {
    const { url, sql } = await server.open(2)
    const pid = server.embedded.pid()
    if (pid === undefined) throw new Error('PostgreSQL has ended already.')
    if (core !== undefined) pin(pid, [core])
    await assertDurable(sql)
    const account = await createAccount(sql, BALANCE_MICROS, LIMITS)
    const watcher = connect({ url: server.embedded.url, maxConnections: 1 })
    return {
      ...account,
      url,
      sql,
      pid,
      async statements() {
        const [row] = await watcher<
          { calls: string }[]
        >`select sum(calls)::text as calls from pg_stat_statements`
        return Number(row!.calls)
      },
      async stop() {
        // What a router asked of its own sessions would show here.
        try {
          await assertUntouched(watcher)
        } finally {
          await watcher.end({ timeout: 1 })
          await server.stop()
        }
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Throws unless what is committed is on the disk, for everybody who connects. */
export async function assertDurable(sql: Sql): Promise<void> {
  for (const [name, wanted] of Object.entries(DURABLE)) {
    const [row] = await sql<{ value: string }[]>`select current_setting(${name}) as value`
    if (row!.value !== wanted)
      throw new Error(`PostgreSQL has ${name} = ${row!.value}: durable figures need ${wanted}.`)
  }
}

/** Throws when anybody has asked for less meanwhile. */
async function assertUntouched(sql: Sql): Promise<void> {
  const [asked] = await sql<{ query: string }[]>`
    select query from pg_stat_statements where query ~* '^\\s*(set|alter).*(synchronous_commit|fsync)' limit 1`
  if (asked) throw new Error(`Somebody asked for less durability: ${asked.query}`)
}
