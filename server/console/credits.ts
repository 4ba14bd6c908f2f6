import type { components } from '#contract/console/types'
import type { Balance } from '../history/balance.ts'
import { type LedgerRow, readCredits } from '../history/ledger-pages.ts'
import type { Sql } from '../store/connection.ts'
import { readCursor, toCursor } from './cursor.ts'
import type { ConsoleHandler } from './handlers.ts'
import { readLimit } from './query.ts'

type LedgerBody = components['schemas']['LedgerRow']
type BalanceBody = components['schemas']['Balance']

const NUMBER = /^[1-9]\d{0,17}$/

/** `GET /credits`: balance, what is held of it, and a page of the ledger, the newest row first (CONS-05, CONS-29). */
export function gettingCredits(sql: Sql): ConsoleHandler<'getCredits'> {
  return async ({ person, query }) => {
    const [number] = readCursor(query.after, [NUMBER]) ?? []
    const { balance, page } = await readCredits(sql, person.workspaceId, {
      place: number === undefined ? 'first' : { after: BigInt(number) },
      limit: readLimit(query.limit),
    })
    return {
      status: 200,
      body: {
        ...toBalanceBody(balance),
        data: page.rows.map(toLedgerBody),
        next: toCursor(page.after === undefined ? undefined : [String(page.after)]),
      },
    }
  }
}

/** What a workspace has, as the contract has it. */
export function toBalanceBody({ balanceMicros, heldMicros }: Balance): BalanceBody {
  return { balance_micros: Number(balanceMicros), held_micros: Number(heldMicros) }
}

/** A row of a ledger as the contract has it. */
export function toLedgerBody(row: LedgerRow): LedgerBody {
  return {
    id: row.id,
    kind: row.kind,
    amount_micros: Number(row.amountMicros),
    balance_after_micros: Number(row.balanceAfterMicros),
    description: row.description,
    reference: row.reference,
    created_at: row.createdAt.toISOString(),
  }
}
