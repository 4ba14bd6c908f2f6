import { finishOnSignals } from '#base/interruption.ts'
import { messageOf } from '#base/thrown.ts'
import { type CellConfig, loadRouterConfig, type RouterConfig } from '../config/router.ts'
import { type Log, silent } from '../log.ts'
import { claimHome, requireCells } from '../store/cell-identity.ts'
import { BOOKING_CONNECTIONS, type Bookings, type DatabaseCell, HOME } from '../store/cells.ts'
import { type ConnectionOptions, connect, type Sql } from '../store/connection.ts'
import type { Embedded } from '../store/embedded.ts'
import { outliveLostLookUps } from '../store/lost-look-ups.ts'
import { migrate } from '../store/migrations.ts'
import { isUnreachable } from '../store/outage.ts'
import { createCell } from './cell.ts'
import { createLog } from './log.ts'
import { addressFor, reach, sessionsFor, stopUnused, type User } from './own-database.ts'

/** An open database with its tables up to date, and how to leave it. */
export interface OpenDatabase {
  readonly sql: Sql
  /** Undefined where there is nothing to have. */
  readonly bookings: Bookings | undefined
  /** The databases in which workspaces live, that of `sql` first; undefined where the configuration names no others. */
  readonly cells: readonly [DatabaseCell, ...DatabaseCell[]] | undefined
  /** Opens connections beside those, for work that must not keep the router's own waiting. */
  openBeside(maxConnections: number): Sql
  /** The server that came with the router; undefined where the configuration names one. */
  readonly embedded: Embedded | undefined
  /** How many migrations were applied as it was opened. */
  readonly applied: number
  /** Closes the connections; stops an embedded server that this command has started. */
  close(): Promise<void>
}

/** A command asks for as long as it takes, and ends: no export of a month may lose its pool to age (ours). */
const COMMAND_MS = 7 * 86_400_000

/** Opens the configured database, or the embedded one, and migrates it. */
export async function openDatabase(
  config: RouterConfig,
  log: Log,
  user: User = 'command',
): Promise<OpenDatabase> {
  const { url, preparedStatements, maxConnections } = config.database
  const own = url === undefined ? startOwn(config.dataDir, log) : undefined
  // A server that is stopped beside a command may take connections along that have just begun.
  const endOutliving = own && user === 'command' ? outliveLostLookUps(silent) : undefined
  const sessions = sessionsFor(user)
  const pools: Sql[] = []
  const leave = async () => {
    const started = await own?.catch(() => undefined)
    const timeout = interruption?.hasCome ? 0 : CLOSE_TIMEOUT_SECONDS
    await Promise.all(pools.map((pool) => pool.end({ timeout })))
    // What was asked for has been done.
    const tell = (error: unknown) => log.warn('the database could not be stopped', { error })
    if (started && !started.adopted) await stopUnused(user, started, sessions).catch(tell)
    endOutliving?.()
    interruption?.end()
  }
  let leaving: Promise<void> | undefined
  const close = () => (leaving ??= leave())
  // A router has ways of its own to be stopped.
  const interruption = own && user === 'command' ? finishOnSignals(close) : undefined
  const embedded = await own?.catch(async (error: unknown) => {
    await close()
    throw error
  })
  if (interruption?.hasCome) await close()
  const home = url ?? addressFor(embedded!, sessions)
  const openPool = (most: number, address = home): Sql => {
    const options = { url: address, preparedStatements, maxConnections: most }
    const pool = open({ ...options, ...(user === 'command' && { lifetimeMs: COMMAND_MS }) })
    pools.push(pool)
    return pool
  }
  const openPools = (address = home) => {
    const isServing = user === 'router' && maxConnections > BOOKING_CONNECTIONS
    if (!isServing) return { sql: openPool(maxConnections, address), bookings: undefined }
    return {
      sql: openPool(maxConnections - BOOKING_CONNECTIONS, address),
      bookings: { admission: openPool(1, address), settlement: openPool(1, address) },
    }
  }
  const { sql, bookings } = openPools()
  try {
    const where = embedded ? `It is the router's own, in ${config.dataDir}: see dataDir` : SEE_URL
    await reach(sql, embedded, () => interruption?.hasCome === true).catch(blame('cannot be used', where))
    const applied = await migrate(sql).catch(blame('cannot be migrated', where))
    const named = config.database.cells ?? []
    const names = named.map(({ name }) => name)
    await requireCells(sql, names)
    const openCell = (cell: CellConfig) => createCell(cell.name, openPools(cell.url), () => claimHome(sql))
    const first = { name: HOME, sql, bookings, prepare: () => claimHome(sql).then(() => applied) }
    const cells = named.length > 0 ? ([first, ...named.map(openCell)] as const) : undefined
    return { sql, bookings, cells, openBeside: (most) => openPool(most), embedded, applied, close }
  } catch (error) {
    await close()
    throw error
  }
}

const CLOSE_TIMEOUT_SECONDS = 5

/** Where the configuration names a database, the code that starts one is not even loaded. */
async function startOwn(dataDir: string, log: Log): Promise<Embedded> {
  const { startEmbedded } = await import('../store/embedded.ts')
  try {
    return await startEmbedded({ dataDir, log })
  } catch (cause) {
    const reason = (cause as Error).message
    const message = `The router's own database cannot be started in ${dataDir}: ${reason}. See dataDir in the configuration, or name a PostgreSQL of yours in database.url.`
    throw new Error(message, { cause })
  }
}

function open(options: ConnectionOptions): Sql {
  try {
    return connect(options)
  } catch (cause) {
    return blame('cannot be used', SEE_URL)(cause)
  }
}

/** The setting that names host, user, database and TLS. */
const SEE_URL = 'See database.url'

/** Says what cannot be done with the database, and which setting says where it is. */
function blame(what: string, where: string): (cause: unknown) => never {
  return (cause) => {
    const failure = isUnreachable(cause) ? 'cannot be reached' : what
    throw new Error(`The database ${failure}: ${messageOf(cause)}. ${where} in the configuration.`, { cause })
  }
}

/** Runs a command that needs nothing but the database, where there are several the home of all. */
export function withDatabase<Result>(
  configFile: string,
  use: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  return withOpenDatabase(configFile, ({ sql }) => use(sql))
}

/** The same with all that is open. */
export async function withOpenDatabase<Result>(
  configFile: string,
  use: (database: OpenDatabase) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase(loadRouterConfig(configFile, process.env), createLog('warn'))
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}
