import type postgres from 'postgres'

type Sql = postgres.Sql<{ bigint: bigint }>

/** What a pool tells of its connections. */
export interface PoolEvents {
  /** One is open: the database has told of itself. */
  readonly onparameter: () => void
  /** One is over, whether it was ever open or not. */
  readonly onclose: () => void
}

/** How long the statements of a pool that lost a connection may still run on its others (ours). */
const GRACE_MS = 5_000

/**
 * How long a pool lasts (ours): a database that was made another's replica answers on, on its old connections. What
 * still runs then runs on for as long as the console's largest download may take.
 */
const LIFETIME_MS = 2_700_000
const LAST_STATEMENTS_MS = 600_000

/** How often the idle connections of such a pool are closed (ours): for what waited in its queue it opens some anew. */
const CLOSE_AGAIN_MS = 250

/**
 * How many statements a pool of several connections is given (ours). In the rows of its idle and its busy ones the driver
 * keeps a place for each statement that it gave one of them, until there is none, and looks through all of them for each
 * statement: a hundred thousand places take it some 50 µs.
 */
const MOST_STATEMENTS = 100_000

/** A pool that another has taken the place of. */
interface Retired {
  /** Ends it. */
  readonly last: NodeJS.Timeout
  /** Closes its idle connections, where it lost none. */
  readonly closing?: NodeJS.Timeout
}

/** When a pool is replaced that has lost nothing; both are the usual ones when left out. */
export interface Span {
  readonly lifetimeMs?: number
  readonly mostStatements?: number
}

/**
 * A pool that another takes the place of as soon as it loses a connection. The driver opens lost ones again by itself,
 * but a statement that it is given between the end of a socket and its knowing of that stays with the connection: it is
 * never answered, and nothing is ever sent on that place of the pool again. So what is asked next is asked of a new
 * pool; statements of the old one that have not ended by then fail after five seconds, as those of an outage do.
 *
 * A pool that lost nothing is replaced as well when it is old or has been given many. Its idle connections are closed at
 * once, since a database may allow no more than those, and each other one after its last statement.
 */
export function renewPool(open: (events: PoolEvents) => Sql, span: Span = {}): Sql {
  const { lifetimeMs = LIFETIME_MS, mostStatements = MOST_STATEMENTS } = span
  const retired = new Map<Sql, Retired>()
  let isEnded = false
  let ageing: NodeJS.Timeout | undefined
  let statements = 0
  let isOpen = false
  let current = next()

  function next(): Sql {
    isOpen = false
    statements = 0
    const pool = open({
      onparameter() {
        if (pool !== current) return
        if (!isOpen) ageing = setTimeout(renew, lifetimeMs, pool).unref()
        isOpen = true
      },
      onclose() {
        // One that never was open is what an outage looks like: nothing was sent on it.
        if (isOpen) replace(pool, GRACE_MS)
      },
    })
    return pool
  }

  /** Has another pool asked from here on, if it still is; what this one does has a while for it. */
  function replace(pool: Sql, lastMs: number): boolean {
    if (isEnded || pool !== current) return false
    // A pool that was replaced must not be kept by its age.
    clearTimeout(ageing)
    current = next()
    retired.set(pool, { last: setTimeout(() => void retire(pool), lastMs).unref() })
    return true
  }

  /** Replaces one that lost nothing. */
  function renew(pool: Sql): void {
    if (!replace(pool, LAST_STATEMENTS_MS)) return
    const closing = setInterval(closeIdle, CLOSE_AGAIN_MS, pool).unref()
    retired.set(pool, { ...retired.get(pool)!, closing })
    // What was asked in this turn is on its way by then.
    setImmediate(closeIdle, pool)
  }

  async function retire(pool: Sql, options?: { timeout?: number }): Promise<void> {
    const { last, closing } = retired.get(pool)!
    clearTimeout(last)
    clearInterval(closing)
    retired.delete(pool)
    // Of one that lost a connection some statements may never be answered.
    await pool.end(closing && options ? options : { timeout: 0 })
  }

  async function end(options?: { timeout?: number }): Promise<void> {
    isEnded = true
    await Promise.all([current.end(options), ...[...retired.keys()].map((pool) => retire(pool, options))])
  }

  function count(): void {
    if (++statements > mostStatements && isOpen) renew(current)
  }

  return new Proxy(current, {
    apply(_target, _self, given) {
      count()
      return Reflect.apply(current as never, undefined, given)
    },
    get(_target, name) {
      if (name === 'end') return end
      if (name === 'begin' || name === 'unsafe') count()
      return current[name as keyof Sql]
    },
  })
}

/** The driver has it, its types do not. */
function closeIdle(pool: Sql): void {
  void (pool as Sql & { close(): Promise<void> }).close()
}
