import type { Queryable, Sql } from '../store/connection.ts'
import { inTransaction } from '../store/transaction.ts'

/** A month of the books; the first one holds all that is older, too. */
export interface Month {
  /** `2026-11`, of UTC. */
  readonly month: string
  /** Null for the first one. */
  readonly beginsAt: Date | null
  readonly endsAt: Date
  /** `closed`: nothing is booked in it any more, and it may leave the tables. */
  readonly state: 'ahead' | 'open' | 'closed' | 'detached' | 'dropped'
  /** Of its last export; null when there is none. */
  readonly exported: Exported | null
}

/** What an export held. */
export interface Exported {
  readonly at: Date
  /** SHA-256 of its manifest, in hex. */
  readonly manifestSha256: string
  readonly totals: Totals
}

/** What a month holds. */
export interface Totals {
  readonly ledgerRows: bigint
  readonly generations: bigint
  /** Records that were corrected, as of then. */
  readonly corrections: bigint
  /** Sum of its ledger rows. */
  readonly amountMicros: bigint
}

/** The tables of a month. */
export interface MonthTables {
  readonly generations: string
  readonly ledger: string
}

/** This month cannot be exported, detached or dropped; says why, and what is to be done first. */
export class MonthError extends Error {
  override readonly name = 'MonthError'
}

/** A month is closed so long after its end: clocks are set back, and another machine's may be behind (D2/13:2). */
const CLOSED_AFTER = '1 day'

/** How many months are there beside the one that runs; ours. */
export const MONTHS_AHEAD = 3

/** For so long whoever reads all months, or writes to none of them, waits for a change of the tables; ours. */
const LOCK_MS = 500

/** How the tables of a month are called, as the migration has it. */
export function tablesOf({ month }: Pick<Month, 'month'>): MonthTables {
  const suffix = month.replace('-', '_')
  return { generations: `generations_${suffix}`, ledger: `ledger_${suffix}` }
}

/** Lists every month that was ever begun, the oldest first. */
export async function listMonths(sql: Queryable): Promise<Month[]> {
  const rows = await sql<Row[]>`
    select month, nullif(begins_at, '-infinity') as begins_at, ends_at, exported_at, manifest_sha256, ledger_rows,
      generations, corrections, amount_micros::text as amount_micros,
      case
        when dropped_at is not null then 'dropped'
        when detached_at is not null then 'detached'
        when ends_at + ${CLOSED_AFTER}::interval <= clock_timestamp() then 'closed'
        when begins_at <= clock_timestamp() then 'open'
        else 'ahead'
      end as state
    from book_months order by ends_at`
  return rows.map(toMonth)
}

/**
 * Begins the months that are missing until some are ahead, and resolves how many that were. It waits for nobody for
 * long, since everybody who comes then waits behind it: what is not done now is done at the next look.
 */
export async function beginMonths(sql: Sql): Promise<number> {
  const begin = async (transaction: Queryable): Promise<number> => {
    const [row] = await transaction<{ begun: number }[]>`select begin_months(${MONTHS_AHEAD}) as begun`
    return row!.begun
  }
  return await inTransaction(sql, begin, { lockMs: LOCK_MS })
}

/** Rows of records and ledger that lie in no month, beyond some thousand no more are counted; and months to come. */
export async function readProvision(sql: Queryable): Promise<{ astray: number; monthsAhead: number }> {
  const [row] = await sql<{ astray: bigint; ahead: bigint }[]>`
    select
      (select count(*) from (select from generations_astray limit ${MOST_COUNTED}) g)
      + (select count(*) from (select from ledger_astray limit ${MOST_COUNTED}) l) as astray,
      (select count(*) from book_months where begins_at > clock_timestamp()) as ahead`
  return { astray: Number(row!.astray), monthsAhead: Number(row!.ahead) }
}

const MOST_COUNTED = 1_000

interface Row {
  readonly month: string
  readonly begins_at: Date | null
  readonly ends_at: Date
  readonly state: Month['state']
  readonly exported_at: Date | null
  readonly manifest_sha256: string | null
  readonly ledger_rows: bigint
  readonly generations: bigint
  readonly corrections: bigint
  readonly amount_micros: string
}

function toMonth(row: Row): Month {
  return {
    month: row.month,
    beginsAt: row.begins_at,
    endsAt: row.ends_at,
    state: row.state,
    exported:
      row.exported_at === null
        ? null
        : {
            at: row.exported_at,
            manifestSha256: row.manifest_sha256!,
            totals: {
              ledgerRows: row.ledger_rows,
              generations: row.generations,
              corrections: row.corrections,
              amountMicros: BigInt(row.amount_micros),
            },
          },
  }
}
