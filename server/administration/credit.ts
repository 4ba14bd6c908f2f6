import type { LedgerRow } from '../history/ledger-pages.ts'
import { postEntry } from '../metering/ledger.ts'
import type { Queryable } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { type Actor, audited } from './act.ts'

/** How a balance is to be moved. */
export interface Credit {
  readonly workspaceId: string
  /** Positive is a top-up, negative an adjustment; not zero. */
  readonly amountMicros: bigint
  /** For the workspace's people too. */
  readonly reason: string
  /** The same again changes nothing; absent: every call counts. */
  readonly idempotencyKey?: string | undefined
}

/** An amount or a reason of its own came under a key that stands for another one; nothing was written. */
export class CreditConflict extends Error {
  override readonly name = 'CreditConflict'
}

/**
 * Moves a balance by one ledger row; undefined when there is no such workspace. Throws `CreditConflict` and
 * `BalanceError`.
 */
export async function creditWorkspace(
  sql: Queryable,
  actor: Actor,
  credit: Credit,
): Promise<LedgerRow | undefined> {
  const { workspaceId, amountMicros, reason } = credit
  const posted = await audited(
    sql,
    actor,
    (transaction) => post(transaction, credit),
    ({ isRepeated, row: { id, kind } }) => {
      const details = { kind, amount_micros: String(amountMicros), reason, ledger_id: id }
      return isRepeated ? [] : [{ act: 'workspace_credited', subject: workspaceId, details }]
    },
  )
  return posted?.row
}

async function post(
  sql: Queryable,
  { workspaceId, amountMicros, reason, idempotencyKey }: Credit,
): Promise<{ readonly row: LedgerRow; readonly isRepeated: boolean } | undefined> {
  // Of two with one key at once, the second finds the first one's row.
  await sql`select from workspaces where id = ${workspaceId} for no key update`
  // A namespace of its own: nobody can name a row that something else has written.
  const key = idempotencyKey === undefined ? `credit.${createId('led_')}` : `credit:${idempotencyKey}`
  const stands = await find(sql, workspaceId, key)
  if (stands) {
    if (stands.amountMicros !== amountMicros || stands.description !== reason.toWellFormed()) {
      throw new CreditConflict('This idempotency key stands for another amount or reason.')
    }
    return { row: stands, isRepeated: true }
  }
  const kind = amountMicros > 0n ? 'top_up' : 'adjustment'
  const entry = { workspaceId, kind, amountMicros, description: reason, idempotencyKey: key } as const
  const posted = await postEntry(sql, entry)
  const row = posted && (await find(sql, workspaceId, key))
  return row && { row, isRepeated: false }
}

async function find(
  sql: Queryable,
  workspaceId: string,
  idempotencyKey: string,
): Promise<LedgerRow | undefined> {
  const [row] = await sql<LedgerRow[]>`
    select number, id, kind, amount_micros as "amountMicros", balance_after_micros as "balanceAfterMicros",
      description, reference, created_at as "createdAt"
    from (select * from ledger union all select * from carried_entries) entries
    where workspace_id = ${workspaceId} and idempotency_key = ${idempotencyKey}`
  return row
}
