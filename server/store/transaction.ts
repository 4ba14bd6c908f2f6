import { limits } from '#contract/limits'
import type { Queryable, Sql } from './connection.ts'

/** How a transaction of its own is bounded. */
interface TransactionOptions {
  /** Longest wait for a lock, in milliseconds; as long as it takes when left out. */
  readonly lockMs?: number
}

/**
 * Runs `work` in a transaction of its own, or within the one that the caller is in. The database ends one that nobody
 * goes on with: a program may be stopped in its midst, or its machine be gone, and every request of a workspace that it
 * has locked would wait, and all that are judged with them.
 */
export async function inTransaction<T>(
  sql: Queryable,
  work: (transaction: Queryable) => Promise<T>,
  { lockMs }: TransactionOptions = {},
): Promise<T> {
  if (!isDatabase(sql)) return await work(sql)
  const { result } = await sql.begin(async (transaction) => {
    await transaction`
      select set_config('idle_in_transaction_session_timeout', ${String(limits.databaseOutageMs)}, true),
        set_config('lock_timeout', coalesce(${lockMs ?? null}::text, current_setting('lock_timeout')), true)`
    // In an object: the driver's types would take a list for a list of statements.
    return { result: await work(transaction) }
  })
  return result
}

function isDatabase(sql: Queryable): sql is Sql {
  return 'begin' in sql
}
