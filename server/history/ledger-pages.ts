import type postgres from 'postgres'
import type { EntryKind } from '../metering/ledger.ts'
import type { Queryable, Sql } from '../store/connection.ts'
import type { Balance } from './balance.ts'
import { isBackward, neighbourOf, type Page, type PagePlace, toPage } from './page.ts'
import { readSnapshot } from './snapshot.ts'

/** A row of a workspace's ledger. */
export interface LedgerRow {
  /** 1, 2, 3 … within the workspace, without a gap. */
  readonly number: bigint
  readonly id: string
  readonly kind: EntryKind | 'generation'
  readonly amountMicros: bigint
  readonly balanceAfterMicros: bigint
  readonly description: string
  readonly reference: string | null
  readonly createdAt: Date
}

/** One page of a ledger, the newest row first; a row's number is its place. */
export interface LedgerQuery {
  readonly place: PagePlace<bigint>
  readonly limit: number
  /** Only what is no single request: credit that came, refunds, corrections by hand. */
  readonly isFundsOnly?: boolean
}

/** What a workspace has, and how that came about. */
export interface Credits {
  readonly balance: Balance
  readonly page: Page<LedgerRow, bigint>
}

/** Reads balance and ledger of one moment; of a workspace that does not exist there is nothing. */
export function readCredits(sql: Sql, workspaceId: string, query: LedgerQuery): Promise<Credits> {
  return readSnapshot(sql, workspaceId, async (snapshot) => {
    const [balance = { balanceMicros: 0n, heldMicros: 0n }] = await snapshot<Balance[]>`
      select balance_micros as "balanceMicros", held_micros as "heldMicros" from workspaces
      where id = ${workspaceId}`
    const rows = await ledgerStatement(snapshot, workspaceId, query)
    const page = toPage(rows, query, { toRow: toLedgerRow, placeOf: ({ number }) => number })
    return { balance: { ...balance }, page }
  })
}

/** Exported for the test that asks the database how it goes about it. */
export function ledgerStatement(
  sql: Queryable,
  workspaceId: string,
  { place, limit, isFundsOnly = false }: LedgerQuery,
): postgres.PendingQuery<Row[]> {
  const [way, than] = isBackward(place) ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  const beside = neighbourOf(place)
  return sql<Row[]>`
    select number, id, kind, amount_micros, balance_after_micros, description, reference, created_at
    from ledger
    where workspace_id = ${workspaceId} ${isFundsOnly ? sql`and kind <> 'generation'` : sql``}
      ${beside === undefined ? sql`` : sql`and number ${than} ${beside}::bigint`}
    order by number ${way}
    limit ${limit + 1}`
}

interface Row {
  readonly number: bigint
  readonly id: string
  readonly kind: LedgerRow['kind']
  readonly amount_micros: bigint
  readonly balance_after_micros: bigint
  readonly description: string
  readonly reference: string | null
  readonly created_at: Date
}

function toLedgerRow(row: Row): LedgerRow {
  return {
    number: row.number,
    id: row.id,
    kind: row.kind,
    amountMicros: row.amount_micros,
    balanceAfterMicros: row.balance_after_micros,
    description: row.description,
    reference: row.reference,
    createdAt: row.created_at,
  }
}
