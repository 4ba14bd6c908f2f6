import type { Queryable } from '../store/connection.ts'
import { createId } from '../store/ids.ts'

/** What may be posted by hand or by the console; a generation's row is only ever written by its settlement. */
export type EntryKind = 'invitation' | 'top_up' | 'refund' | 'adjustment'

/** A ledger row to be written. */
export interface Entry {
  readonly workspaceId: string
  readonly kind: EntryKind
  /** Positive adds to the balance. */
  readonly amountMicros: bigint
  readonly description: string
  readonly reference?: string
  /** The same key again changes nothing; absent: a new one, so that every call counts. */
  readonly idempotencyKey?: string
}

/** A ledger row that stands. */
export interface PostedEntry {
  readonly id: string
  readonly balanceAfterMicros: bigint
  /** It stood already. */
  readonly isRepeated: boolean
}

/** The balance would pass what a JSON integer holds exactly; nothing was written. */
export class BalanceError extends Error {
  override readonly name = 'BalanceError'
}

/**
 * Writes a ledger row and moves the balance with it; undefined if there is no such workspace. Throws `BalanceError`.
 */
export async function postEntry(sql: Queryable, entry: Entry): Promise<PostedEntry | undefined> {
  const { workspaceId, kind, amountMicros, description, reference = null } = entry
  const id = createId('led_')
  const idempotencyKey = entry.idempotencyKey ?? `${kind}:${id}`
  const [row] = await sql<Row[]>`
    select * from post_ledger_entry(
      ${workspaceId}::text, ${id}::text, ${kind}::text, ${amountMicros}::bigint, ${description}::text,
      ${reference}::text, ${idempotencyKey}::text
    )`.catch(asBalanceError)
  if (!row) return undefined
  if (row.amount_micros !== amountMicros) {
    throw new Error(`${idempotencyKey} stands in the ledger with another amount`)
  }
  return { id: row.id, balanceAfterMicros: row.balance_after_micros, isRepeated: row.repeated }
}

interface Row {
  readonly id: string
  readonly amount_micros: bigint
  readonly balance_after_micros: bigint
  readonly repeated: boolean
}

function asBalanceError(error: unknown): never {
  const isUnsafe =
    error instanceof Error && 'constraint_name' in error && error.constraint_name === 'balance_is_safe'
  throw isUnsafe ? new BalanceError('The balance would be too large.', { cause: error }) : error
}
