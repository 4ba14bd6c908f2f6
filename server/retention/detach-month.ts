import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { type Actor, audited } from '../administration/act.ts'
import type { Queryable, Sql } from '../store/connection.ts'
import { readManifest } from './files.ts'
import { listMonths, type Month, MonthError, type Totals, tablesOf } from './months.ts'
import { verifyExports } from './verify-exports.ts'

/** Everybody who books waits so long at most for the tables to change; then those go first, and it is tried again. Ours. */
const LOCK_MS = 500
const PAUSE_MS = 1_000
const TRIES = 300

/** Which month, and where its export is. */
export interface LeaveOptions {
  readonly name: string
  /** The folder of the month itself. */
  readonly folder: string
  /** Workspaces that live in another database, whatever lies in this one (OPS-31). */
  readonly elsewhere?: readonly string[]
}

/** What has left. */
export interface Left {
  readonly manifestSha256: string
  readonly totals: Totals
}

/**
 * Takes a closed month out of the tables, all earlier ones having been, and carries forward what has to stay (CRED-44,
 * CRED-47): all of it or nothing. Its rows then lie in tables of their own, as guarded as before. What is booked
 * meanwhile waits for half a second at a time. Throws `MonthError`, and `ExportError` for an export that is not whole.
 */
export async function detachMonth(
  sql: Sql,
  actor: Actor,
  { name, folder, elsewhere = [] }: LeaveOptions,
): Promise<Left> {
  const manifestSha256 = await requireWhole(sql, name, folder)
  const done = await audited(
    sql,
    actor,
    async (transaction) => {
      // One at a time: the next month's is judged behind this one's.
      await transaction`lock table book_months in share row exclusive mode`
      const months = await listMonths(transaction)
      const index = months.findIndex(({ month }) => month === name)
      const month = requireNext(name, months, index, manifestSha256)
      const { generations, ledger } = tablesOf(month)
      // Whatever is still being written to it ends first, and readers go on.
      await transaction`
        lock table ${transaction(generations)}, ${transaction(ledger)} in share row exclusive mode`
      await requireSame(transaction, month, elsewhere)
      await carry(transaction, month, elsewhere)
      await lockAll(transaction, month)
      await requireUncorrected(transaction, month, elsewhere)
      await transaction`alter table generations detach partition ${transaction(generations)}`
      await transaction`alter table ledger detach partition ${transaction(ledger)}`
      await transaction`update book_months set detached_at = clock_timestamp() where month = ${name}`
      return { manifestSha256, totals: month.exported!.totals }
    },
    () => [{ act: 'month_detached', subject: name, details: { folder, manifest_sha256: manifestSha256 } }],
  )
  return done!
}

/** Drops the rows of a detached month, for good, with its export in hand. Throws as `detachMonth` does. */
export async function dropMonth(sql: Sql, actor: Actor, { name, folder }: LeaveOptions): Promise<Left> {
  const manifestSha256 = await requireWhole(sql, name, folder)
  const done = await audited(
    sql,
    actor,
    async (transaction) => {
      await transaction`lock table book_months in share row exclusive mode`
      const month = (await listMonths(transaction)).find((one) => one.month === name)
      if (month?.state !== 'detached')
        throw new MonthError(`${name} is not detached: router retention detach ${name}`)
      const { generations, ledger } = tablesOf(month)
      await transaction`drop table ${transaction(generations)}, ${transaction(ledger)}`
      await transaction`update book_months set dropped_at = clock_timestamp() where month = ${name}`
      return { manifestSha256, totals: month.exported!.totals }
    },
    () => [{ act: 'month_dropped', subject: name, details: { folder, manifest_sha256: manifestSha256 } }],
  )
  return done!
}

/** The export is the last one that was made of this month, and nothing of it is missing or changed. */
async function requireWhole(sql: Sql, name: string, folder: string): Promise<string> {
  const month = (await listMonths(sql)).find((one) => one.month === name)
  if (!month) throw new MonthError(`There is no month ${name}. See: router retention list`)
  if (!month.exported) throw new MonthError(`${name} is not exported: router retention export ${name}`)
  const { sha256 } = await readManifest(folder)
  if (sha256 !== month.exported.manifestSha256) {
    throw new MonthError(
      `${folder} is not the last export of ${name}, whose manifest is ${month.exported.manifestSha256}.`,
    )
  }
  const { findings } = await verifyExports([folder])
  const [first] = findings
  if (first) throw new MonthError(`${folder} is not whole: ${first.subject}: ${first.problem}`)
  return sha256
}

function requireNext(name: string, months: readonly Month[], index: number, manifestSha256: string): Month {
  const month = months[index]!
  if (month.state !== 'closed') throw new MonthError(`${name} is ${month.state}.`)
  if (month.exported?.manifestSha256 !== manifestSha256)
    throw new MonthError(`${name} was exported anew meanwhile.`)
  const earlier = months.slice(0, index).find(({ state }) => state === 'closed')
  if (earlier) throw new MonthError(`${earlier.month} comes first: router retention detach ${earlier.month}`)
  return month
}

/** What a month holds of the workspaces that live here. */
function rowsOf(sql: Queryable, month: Month, elsewhere: readonly string[]) {
  const { generations, ledger } = tablesOf(month)
  const here = sql`workspace_id <> all (${[...elsewhere]}::text[])`
  return {
    generations: sql`(select * from ${sql(generations)} where ${here})`,
    ledger: sql`(select * from ${sql(ledger)} where ${here})`,
  }
}

/** A record may have been corrected since, and a clock have been set back. */
async function requireSame(sql: Queryable, month: Month, elsewhere: readonly string[]): Promise<void> {
  const { generations, ledger } = rowsOf(sql, month, elsewhere)
  const [now] = await sql<Record<keyof Totals, string>[]>`
    select
      l.rows::text as "ledgerRows", l.amount::text as "amountMicros", g.rows::text as "generations",
      g.corrections::text as "corrections"
    from (select count(*) as rows, coalesce(sum(amount_micros), 0) as amount from ${ledger} as rows) l
    cross join (
      select count(*) as rows, count(w.id) as corrections
      from ${generations} g
      left join withheld_generations w on w.workspace_id = g.workspace_id and w.id = g.id
    ) g`
  const { totals } = month.exported!
  for (const name of Object.keys(totals) as (keyof Totals)[]) {
    if (BigInt(now![name]) === totals[name]) continue
    throw new MonthError(
      `${month.month} has changed since it was exported: router retention export ${month.month}`,
    )
  }
  // Each ledger goes on where it stood: with what is carried forward already, this month's rows are all up to its end.
  const [gap] = await sql<{ workspace_id: string }[]>`
    select f.workspace_id
    from (select workspace_id, min(number) as first, max(number) as last, count(*) as rows from ${ledger} as rows group by 1) f
    join ${ledger} l on l.workspace_id = f.workspace_id and l.number = f.first
    left join carried_balances c on c.workspace_id = f.workspace_id
    where f.first <> coalesce(c.number, 0) + 1 or f.last - f.first + 1 <> f.rows
      or l.balance_after_micros - l.amount_micros <> coalesce(c.balance_micros, 0)
    limit 1`
  if (gap) {
    const { workspace_id: id } = gap
    throw new MonthError(
      `The ledger of ${id} has rows of before ${month.month} elsewhere. See "Months" for operators.`,
    )
  }
}

async function carry(sql: Queryable, month: Month, elsewhere: readonly string[]): Promise<void> {
  const { generations, ledger } = rowsOf(sql, month, elsewhere)
  await sql`
    insert into carried_balances as c (workspace_id, number, balance_micros)
    select distinct on (workspace_id) workspace_id, number, balance_after_micros from ${ledger} as rows
    order by workspace_id, number desc
    on conflict (workspace_id) do update set number = excluded.number, balance_micros = excluded.balance_micros`
  await sql`insert into carried_entries select * from ${ledger} as rows where kind <> 'generation'`
  await sql`
    insert into carried_usage as c (
      workspace_id, grain, begins_at, key_id, model, requests, prompt_tokens, completion_tokens, cost_micros
    )
    select
      g.workspace_id, t.grain, date_trunc(t.grain, g.created_at, 'UTC'), g.key_id, g.model, count(*),
      sum(g.prompt_tokens)::bigint, sum(coalesce(w.completion_tokens, g.completion_tokens))::bigint,
      sum(coalesce(w.cost_micros, g.cost_micros))::bigint
    from ${generations} g
    left join withheld_generations w on w.workspace_id = g.workspace_id and w.id = g.id
    cross join (values ('hour'), ('day')) t (grain)
    group by 1, 2, 3, 4, 5
    on conflict (workspace_id, grain, begins_at, key_id, model) do update set
      requests = c.requests + excluded.requests,
      prompt_tokens = c.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = c.completion_tokens + excluded.completion_tokens,
      cost_micros = c.cost_micros + excluded.cost_micros`
}

/** What was corrected before the lock, nobody has carried forward. */
async function requireUncorrected(sql: Queryable, month: Month, elsewhere: readonly string[]): Promise<void> {
  const { generations } = rowsOf(sql, month, elsewhere)
  const [row] = await sql<{ corrections: bigint }[]>`
    select count(*) as corrections from withheld_generations w
    join ${generations} g on g.workspace_id = w.workspace_id and g.id = w.id`
  if (row!.corrections === month.exported!.totals.corrections) return
  throw new MonthError(
    `${month.month} has changed since it was exported: router retention export ${month.month}`,
  )
}

/**
 * Whoever waits for this lock has everybody wait who comes later: it is given up soon, and tried again. Other months'
 * tables are left out, for they may be under vacuum for hours.
 */
async function lockAll(sql: Queryable, month: Month): Promise<void> {
  const { generations, ledger } = tablesOf(month)
  const transaction = sql as postgres.TransactionSql<{ bigint: bigint }>
  for (let left = TRIES; ; left--) {
    try {
      await transaction.savepoint(async (attempt) => {
        await attempt`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`
        await attempt`
          lock table only generations, only ledger, generations_astray, ledger_astray, ${attempt(generations)},
            ${attempt(ledger)} in access exclusive mode`
      })
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03') throw error
      if (left === 1)
        throw new MonthError('The tables are being read without a pause: try again later.', { cause: error })
      await sleep(PAUSE_MS)
    }
  }
}
