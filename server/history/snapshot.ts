import { limits } from '#contract/limits'
import type { Queryable, Sql } from '../store/connection.ts'
import { OutageError } from '../store/outage.ts'
import { outlast } from '../store/retry.ts'

/** Of a pool's connections one in so many reads for people at a time: the others serve requests that are paid for (ours). */
const SHARE = 3

/** Who reads from a pool, and who waits to, by workspace; whose turn it is stands first. */
interface Line {
  free: number
  readonly waiting: Map<string, (() => void)[]>
}

const lines = new WeakMap<Sql, Line>()

/**
 * Reads for people: one snapshot, so that what is shown together was true together. Each statement is planned for
 * what it is asked, for a plan that fits a day reads a year for minutes. An outage of less than 5 s is waited out, and
 * so is a turn; after that it throws `OutageError`, and the database gives up what it has begun. Workspaces take turns, so
 * that one with many files and pages on their way lets nobody else wait behind it.
 */
export function readSnapshot<T>(
  sql: Sql,
  workspaceId: string,
  read: (snapshot: Queryable) => Promise<T>,
): Promise<T> {
  return outlast(() => inTurn(sql, workspaceId, () => readSnapshotNow(sql, read)))
}

/** The same out of turn, and an outage is told at once. */
export async function readSnapshotNow<T>(sql: Sql, read: (snapshot: Queryable) => Promise<T>): Promise<T> {
  const result = await sql.begin('isolation level repeatable read read only', async (snapshot) => {
    await snapshot`
      select set_config('plan_cache_mode', 'force_custom_plan', true),
        set_config('statement_timeout', ${String(limits.databaseOutageMs)}, true)`
    return { value: await read(snapshot) }
  })
  return result.value
}

async function inTurn<T>(sql: Sql, workspaceId: string, task: () => Promise<T>): Promise<T> {
  const line = lines.get(sql) ?? {
    free: Math.max(1, Math.floor(sql.options.max / SHARE)),
    waiting: new Map(),
  }
  lines.set(sql, line)
  const cameMs = performance.now()
  if (line.free > 0) line.free--
  else await new Promise<void>((resolve) => queueUp(line, workspaceId, resolve))
  try {
    // Nobody waits for it any more.
    if (performance.now() - cameMs > limits.databaseOutageMs) throw new OutageError('too many read at once')
    return await task()
  } finally {
    const next = takeNext(line)
    if (next) next()
    else line.free++
  }
}

function queueUp({ waiting }: Line, workspaceId: string, start: () => void): void {
  const own = waiting.get(workspaceId)
  if (own) own.push(start)
  else waiting.set(workspaceId, [start])
}

/** The first one of the workspace whose turn it is, which goes to the end then. */
function takeNext({ waiting }: Line): (() => void) | undefined {
  for (const [workspaceId, own] of waiting) {
    const next = own.shift()
    waiting.delete(workspaceId)
    if (own.length > 0) waiting.set(workspaceId, own)
    return next
  }
  return undefined
}
