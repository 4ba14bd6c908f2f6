import type { Queryable, Sql } from './connection.ts'
import { isPassing, OutageError } from './outage.ts'

/**
 * Runs `work` in one transaction that is committed before `untilMs`, a moment of `performance.now()`, or never: who was
 * told that nothing came of it may do it again (CONS-62). Throws `OutageError` where it would come too late, and when a
 * statement of it was given up.
 *
 * The database looks at its clock a last time when all is written, and ends a connection on which the commit does not
 * follow in time: it may be on its way while this router, or the network, stands still.
 */
export async function inTime<T>(
  sql: Sql,
  untilMs: number,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const { result } = await sql
    .begin(async (transaction) => {
      const deadline = await setDeadline(transaction, untilMs)
      const result = await work(transaction)
      await awaitCommit(transaction, deadline)
      // In an object: the driver's types would take a list for a list of statements.
      return { result }
    })
    .catch(asOutage)
  return result
}

/** By the database's clock, and rather too early: it was read before the answer came. */
async function setDeadline(transaction: Queryable, untilMs: number): Promise<Date> {
  const leftMs = Math.floor(untilMs - performance.now())
  if (leftMs <= 0) throw new OutageError('it came too late to be begun')
  const [clock] = await transaction<{ shown: Date }[]>`
    select clock_timestamp() as shown, set_config('statement_timeout', ${String(leftMs)}, true)`
  return new Date(clock!.shown.getTime() + untilMs - performance.now())
}

async function awaitCommit(transaction: Queryable, deadline: Date): Promise<void> {
  const [clock] = await transaction<{ left_ms: number }[]>`
    with clock as materialized (
      select floor(extract(epoch from ${deadline}::timestamptz - clock_timestamp()) * 1000)::integer as left_ms
    )
    select left_ms, set_config('idle_in_transaction_session_timeout', greatest(left_ms, 1)::text, true) from clock`
  if (clock!.left_ms <= 0) throw new OutageError('it came too late to be committed')
}

function asOutage(error: unknown): never {
  throw isPassing(error) ? new OutageError('nothing was committed in time', { cause: error }) : error
}
