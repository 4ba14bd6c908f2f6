import { limits } from '#contract/limits'
import type { Log } from '../log.ts'
import type { Queryable, Sql } from '../store/connection.ts'
import { within } from '../store/retry.ts'
import type { Balance } from './balance.ts'
import { type Changes, readChanges } from './changes.ts'
import type { RequestRow } from './request-row.ts'
import { readSnapshotNow } from './snapshot.ts'

/** Who is told of a workspace. What has been told once is told again only when it has changed. */
export interface Watcher {
  /** At first, and whenever it has moved. */
  balance(balance: Balance): void
  /** A request runs, has gone on, or has ended; the newest word of an id is the true one. */
  request(row: RequestRow): void
  /** The database is away: the next thing that is told is all of it, the balance first (CONS-65). */
  away(): void
  /** Nothing more is told: the session that it was told in is over, or the router stops. */
  end(isSessionOver: boolean): void
}

/** What is watched, and in which session. */
export interface Watch {
  readonly workspaceId: string
  readonly sessionId: string
}

/** Tells of what happens in workspaces, at whichever router. */
export interface Feed {
  /** Tells a watcher from now on, until the result is called. */
  watch(watch: Watch, watcher: Watcher): () => void
  /** How many are told. */
  readonly watchers: number
  /** Tells nobody any more; resolves once no look is under way. */
  stop(): Promise<void>
}

/** What the feed needs from the world. */
export interface FeedOptions {
  readonly sql: Sql
  readonly log: Log
  /** Which of these sessions are not over. */
  readonly openSessions: (snapshot: Queryable, ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** Between two looks at the database while anybody watches. */
  readonly intervalMs?: number
}

/** One workspace that somebody watches. */
interface Watched {
  readonly workspaceId: string
  /** With the session of each. */
  readonly watchers: Map<Watcher, string>
  /** Who has not been told anything yet. */
  readonly fresh: Set<Watcher>
  number: bigint | undefined
  balance: Balance | undefined
  /** What was last told of each request that runs. */
  running: ReadonlyMap<string, RequestRow>
}

/**
 * One look serves all who watch at this router, and none is taken while nobody does. It asks the database and waits
 * for no notice of it: those pass no pooler. While the database is away nothing is told, and afterwards all of it.
 */
export function createFeed(options: FeedOptions): Feed {
  const { sql, log, openSessions, intervalMs = limits.livePollMs } = options
  const all = new Map<string, Watched>()
  let look: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function wake(): void {
    clearTimeout(timer)
    look ??= lookAround().finally(() => {
      look = undefined
      if (isStopped || all.size === 0) return
      // Whoever came meanwhile is told at once.
      const hasFresh = [...all.values()].some(({ fresh }) => fresh.size > 0)
      timer = setTimeout(wake, hasFresh && !hasFailed ? 0 : intervalMs)
      timer.unref()
    })
  }

  let hasFailed = false
  async function lookAround(): Promise<void> {
    const asked = [...all.values()]
    const fresh = new Map(asked.map((one) => [one, new Set(one.fresh)]))
    try {
      const sessions = asked.flatMap(({ watchers }) => [...watchers.values()])
      const reading = readSnapshotNow(sql, async (snapshot) => ({
        open: await openSessions(snapshot, sessions),
        changes: await readChanges(snapshot, asked),
      }))
      // A connection that nobody answers on is not told as closed for minutes.
      const { changes, open } = await within(reading, limits.databaseOutageMs)
      hasFailed = false
      const known = new Set(sessions)
      for (const one of asked) {
        for (const [watcher, session] of one.watchers) {
          if (!known.has(session) || open.has(session)) continue
          forget(one, watcher)
          watcher.end(true)
        }
        const changed = changes.get(one.workspaceId)
        if (changed) tell(one, changed, fresh.get(one)!)
      }
    } catch (error) {
      if (!hasFailed) log.warn('what happens in workspaces cannot be told', { error })
      if (!hasFailed) for (const one of all.values()) tellAway(one)
      hasFailed = true
    }
  }

  function forget(one: Watched, watcher: Watcher): void {
    one.watchers.delete(watcher)
    one.fresh.delete(watcher)
    if (one.watchers.size === 0 && all.get(one.workspaceId) === one) all.delete(one.workspaceId)
  }

  return {
    watch({ workspaceId, sessionId }, watcher) {
      if (isStopped) {
        watcher.end(false)
        return () => {}
      }
      const one = all.get(workspaceId) ?? createWatched(workspaceId)
      all.set(workspaceId, one)
      one.watchers.set(watcher, sessionId)
      one.fresh.add(watcher)
      wake()
      return () => forget(one, watcher)
    },
    get watchers() {
      return [...all.values()].reduce((sum, { watchers }) => sum + watchers.size, 0)
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      for (const { watchers } of all.values()) for (const watcher of watchers.keys()) watcher.end(false)
      all.clear()
      await look
    },
  }
}

function createWatched(workspaceId: string): Watched {
  return {
    workspaceId,
    watchers: new Map(),
    fresh: new Set(),
    number: undefined,
    balance: undefined,
    running: new Map(),
  }
}

/** Tells those who know what was told before what has changed, and those who are new all that is. */
function tell(one: Watched, { balance, number, ended, running }: Changes, fresh: ReadonlySet<Watcher>): void {
  const told = one.running
  const hasMoved =
    one.balance?.balanceMicros !== balance.balanceMicros || one.balance.heldMicros !== balance.heldMicros
  for (const watcher of one.watchers.keys()) {
    const isFresh = fresh.has(watcher)
    // Who came while this was read is told with the next look.
    if (one.fresh.has(watcher) && !isFresh) continue
    one.fresh.delete(watcher)
    if (isFresh || hasMoved) watcher.balance(balance)
    for (const row of running) if (isFresh || hasGoneOn(row, told.get(row.id))) watcher.request(row)
    for (const row of ended) watcher.request(row)
  }
  one.number = number
  one.balance = balance
  one.running = new Map(running.map((row) => [row.id, row]))
}

/** Who comes while the database is away is told so by being told nothing. */
function tellAway({ watchers, fresh }: Watched): void {
  for (const watcher of watchers.keys()) {
    if (fresh.has(watcher)) continue
    fresh.add(watcher)
    watcher.away()
  }
}

function hasGoneOn(row: RequestRow, told: RequestRow | undefined): boolean {
  return (
    !told ||
    told.completionTokens !== row.completionTokens ||
    told.promptTokens !== row.promptTokens ||
    told.model !== row.model
  )
}
