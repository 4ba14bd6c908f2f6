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
const LAST_STATEMENTS_SECONDS = 600

/**
 * After how many statements each connection of a pool is given one at once (ours). In the row of its idle ones the driver
 * keeps a place for each that was given a statement, until none is idle, and looks through all of it for each statement:
 * a hundred thousand places take it some 50 µs.
 */
const MOST_PLACES = 10_000

/** When a pool is replaced that has lost nothing, and when the row of its idle connections is emptied; the usual when left out. */
export interface Span {
  readonly lifetimeMs?: number
  readonly mostPlaces?: number
}

/**
 * A pool that another takes the place of as soon as it loses a connection. The driver opens lost ones again by itself,
 * but a statement that it is given between the end of a socket and its knowing of that stays with the connection: it is
 * never answered, and nothing is ever sent on that place of the pool again. So what is asked next is asked of a new
 * pool; statements of the old one that have not ended by then fail after five seconds, as those of an outage do. A pool
 * that lost nothing is replaced as well when it is old, and ends with its last statement.
 */
export function renewPool(open: (events: PoolEvents) => Sql, span: Span = {}): Sql {
  const { lifetimeMs = LIFETIME_MS, mostPlaces = MOST_PLACES } = span
  const retired = new Map<Sql, NodeJS.Timeout>()
  let isEnded = false
  let ageing: NodeJS.Timeout | undefined
  let places = 0
  let current = next()

  function next(): Sql {
    let isOpen = false
    places = 0
    const pool = open({
      onparameter() {
        if (!isOpen && pool === current)
          ageing = setTimeout(replace, lifetimeMs, pool, LAST_STATEMENTS_SECONDS).unref()
        isOpen = true
      },
      onclose() {
        // One that never was open is what an outage looks like: nothing was sent on it.
        if (isOpen) replace(pool, 0)
      },
    })
    return pool
  }

  /** Has another pool asked from here on; what still waits for a connection of this one has some seconds for it. */
  function replace(pool: Sql, lastSeconds: number): void {
    if (isEnded || pool !== current) return
    // A pool that was replaced must not be kept by its age.
    clearTimeout(ageing)
    current = next()
    retired.set(pool, setTimeout(() => void retire(pool, lastSeconds), GRACE_MS).unref())
  }

  async function retire(pool: Sql, timeout = 0): Promise<void> {
    retired.delete(pool)
    await pool.end({ timeout })
  }

  async function end(options?: { timeout?: number }): Promise<void> {
    isEnded = true
    for (const timer of retired.values()) clearTimeout(timer)
    await Promise.all([current.end(options), ...[...retired.keys()].map((pool) => retire(pool))])
  }

  function count(): void {
    if (++places < mostPlaces) return
    places = 0
    // They leave in this turn, in which none becomes idle again.
    for (let left = current.options.max; left > 0; left--) void current`select 1`.catch(() => {})
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
