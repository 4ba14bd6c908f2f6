import type { Sql } from '../../server/store/connection.ts'
import type { Payer } from '../world/world.ts'
import { type Violation, violationsOf } from './violation.ts'

/**
 * Recomputes all money with statements of this room's own: each is a sentence that has to hold, and selects what does
 * not. They start from the records and from what the run has granted, where the product's check starts from its columns.
 */
export async function checkBooks(sql: Sql, payers: readonly Payer[]): Promise<Violation[]> {
  const details = await sql.begin('isolation level repeatable read read only', async (look) => {
    const found: string[] = []
    const note = (sentence: string, rows: readonly { readonly subject: string }[]) => {
      for (const { subject } of rows) found.push(`${sentence}: ${subject}`)
    }
    note(
      'a cost is its tokens at its prices, rounded up once',
      await look<Subject[]>`
        select g.id || ' costs ' || g.cost_micros as subject from generation_records g
        where g.cost_micros <> div(
          g.prompt_tokens::numeric * g.prompt_price_micros
            + g.completion_tokens::numeric * g.completion_price_micros + 999999, 1000000)`,
    )
    note(
      'a generation has one debit, of its first cost',
      await look<Subject[]>`
        select g.id as subject from generations g
        where (select array_agg(l.amount_micros) from ledger l where l.kind = 'generation' and l.reference = g.id)
          is distinct from array[-g.cost_micros]`,
    )
    note(
      'a debit has its generation',
      await look<Subject[]>`
        select l.id as subject from ledger l
        where l.kind = 'generation' and not exists (select from generations g where g.id = l.reference)`,
    )
    note(
      'what was corrected is refunded, to the micro-dollar, and nothing else is',
      await look<Subject[]>`
        select g.id as subject from generation_records g
        where g.refunded_micros <> coalesce(
          (select sum(l.amount_micros) from ledger l where l.kind = 'refund' and l.reference = g.id), 0)`,
    )
    note(
      'rows are numbered without a gap, and each balance follows from the one before',
      await look<Subject[]>`
        select n.id as subject from (
          select l.*, lag(number, 1, 0::bigint) over each as before_number,
            lag(balance_after_micros, 1, 0::bigint) over each as before_micros
          from ledger l window each as (partition by workspace_id order by number)
        ) n
        where n.number <> n.before_number + 1 or n.balance_after_micros <> n.before_micros + n.amount_micros`,
    )
    note(
      'nothing is held where no hold is',
      await look<Subject[]>`
        select id as subject from workspaces where held_micros <> 0
        union all select id from api_keys where held_micros <> 0`,
    )
    for (const { name, workspaceId, keyId, grantedMicros } of payers) {
      const [sums] = await look<Sums[]>`
        select w.balance_micros as balance, k.spent_micros as spent,
          coalesce((select sum(g.cost_micros) from generation_records g where g.workspace_id = w.id), 0)::bigint as cost,
          coalesce((select max(g.cost_micros) from generations g where g.workspace_id = w.id), 0)::bigint as dearest
        from workspaces w join api_keys k on k.workspace_id = w.id and k.id = ${keyId}
        where w.id = ${workspaceId}`
      if (!sums) {
        found.push(`the account of ${name} is not there any more`)
        continue
      }
      const { balance, spent, cost, dearest } = sums
      if (balance !== grantedMicros - cost)
        found.push(`${name} was granted ${grantedMicros}, used ${cost} and has ${balance}`)
      if (spent !== cost) found.push(`the key of ${name} is said to have spent ${spent}, not ${cost}`)
      if (balance < -dearest) found.push(`${name} owes ${-balance}, more than any one generation cost`)
    }
    return found
  })
  return violationsOf('books', details)
}

interface Subject {
  readonly subject: string
}

interface Sums {
  readonly balance: bigint
  readonly spent: bigint
  readonly cost: bigint
  readonly dearest: bigint
}
