import type { Queryable, Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'

/** For a page somebody waits; what takes longer is given up by the database (ours). */
const STATEMENT_MS = 20_000

/**
 * Reads for people: one snapshot, so that what is shown together was true together. Each statement is planned for
 * what it is asked, for a plan that fits a day reads a year for minutes. An outage of less than 5 s is waited out.
 */
export function readSnapshot<T>(sql: Sql, read: (snapshot: Queryable) => Promise<T>): Promise<T> {
  return outlast(() => readSnapshotNow(sql, read))
}

/** The same, and an outage is told at once. */
export async function readSnapshotNow<T>(sql: Sql, read: (snapshot: Queryable) => Promise<T>): Promise<T> {
  const result = await sql.begin('isolation level repeatable read read only', async (snapshot) => {
    await snapshot`
      select set_config('plan_cache_mode', 'force_custom_plan', true),
        set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`
    return { value: await read(snapshot) }
  })
  return result.value
}
