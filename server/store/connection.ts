import postgres from 'postgres'
import { renewPool } from './renewed-pool.ts'
import { bracketedServers } from './tls/hosts.ts'
import { takeTlsParameters } from './tls/parameters.ts'
import { createSocketSource, type Wanted } from './tls/socket.ts'
import { guardTransactions } from './transactions.ts'
import { neededServer, withoutNeed } from './writable.ts'

/** The database; 64-bit integers arrive as `bigint`. */
export type Sql = postgres.Sql<{ bigint: bigint }>

/** Either the database or one transaction on it. */
export type Queryable = postgres.ISql<{ bigint: bigint }>

/** Where the database is and how it may be used. */
export interface ConnectionOptions {
  readonly url: string
  /** False behind PgBouncer in transaction mode. */
  readonly preparedStatements?: boolean
  readonly maxConnections?: number
  /** How long a pool lasts, however much it is asked; as the router's do when left out (renewed-pool.ts). */
  readonly lifetimeMs?: number
}

/** Seconds, ours: an outage of less than 5 s must break no stream, so the way back is looked for often. */
const RECONNECT_SECONDS = 0.05
const CONNECT_TIMEOUT_SECONDS = 3
const DEFAULT_MAX_CONNECTIONS = 8

/**
 * Opens the pool; nothing is sent before the first query, and lost connections come back by themselves. TLS is as the
 * URL's parameters have it in libpq. Throws `DatabaseUrlError` for one that means nothing here.
 */
export function connect(settings: ConnectionOptions): Sql {
  const { preparedStatements = true, maxConnections, lifetimeMs } = settings
  const { url: named, tls } = takeTlsParameters(settings.url)
  const servers = bracketedServers(named)
  const needed = neededServer(named)
  const url = needed === undefined ? withoutNeed(named) : named
  const options = {
    types: { bigint: postgres.BigInt },
    prepare: preparedStatements,
    max: maxConnections ?? DEFAULT_MAX_CONNECTIONS,
    backoff: () => RECONNECT_SECONDS,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    onnotice: () => {},
    // A connection that ends by its age would take the pool's statements with it: the pool has an age.
    max_lifetime: null,
    // What it is handed is protected already.
    ssl: false,
    ...(needed && { target_session_attrs: needed }),
    // The driver's types know neither this nor `socket`. It takes a transaction for none, and has others go on within it,
    // where its beginning is one statement more than a connection is handed at once, or more than its socket would
    // rather hold. So there is no such number, and no such socket.
    max_pipeline: Infinity,
  }
  const span = {
    ...(lifetimeMs && { lifetimeMs }),
    // A command's statement may take hours, and a row of one connection has no places left behind.
    ...((lifetimeMs || options.max === 1) && { mostStatements: Infinity }),
  }
  const source = createSocketSource(tls, CONNECT_TIMEOUT_SECONDS * 1_000, servers)
  return renewPool((events) => {
    const gone = new AbortController()
    const socket = (wanted: Wanted) => source(wanted, gone.signal)
    const whole = { ...options, ...events, socket }
    const pool = guardTransactions(postgres(url, whole))
    const end = pool.end.bind(pool)
    return Object.assign(pool, {
      async end(last?: { timeout?: number }) {
        await end(last)
        // Where there was time, the driver may still connect for what was asked before.
        if (last?.timeout === 0) gone.abort()
      },
    })
  }, span)
}
