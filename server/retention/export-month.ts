import { join } from 'node:path'
import type { MonthEntry, MonthManifest } from '#contract/models'
import { type Actor, audited } from '../administration/act.ts'
import type { Queryable, Sql } from '../store/connection.ts'
import { createAuditor } from './auditor.ts'
import { writeExport } from './files.ts'
import { listMonths, type Month, MonthError, type Totals, tablesOf } from './months.ts'

/** An export that was made. */
export interface MadeExport {
  readonly folder: string
  readonly manifestSha256: string
  readonly totals: Totals
}

/** Rows that are in memory at once; ours. */
const BATCH = 1_000

/** Rows between two words of progress; ours. */
const ROWS_PER_WORD = 1_000_000n

/**
 * Writes a closed month to a folder of its name below `parent`, holds each line against the ones before as it is
 * written, and notes down what it has written (CRED-45). The same month makes the same bytes. Throws `MonthError`, and
 * `ExportError` where the folder is there already.
 */
export async function exportMonth(
  sql: Sql,
  actor: Actor,
  { name, parent, elsewhere = [], requireStill = async () => {}, tellProgress = () => {} }: ExportOptions,
): Promise<MadeExport> {
  const months = await listMonths(sql)
  const index = months.findIndex(({ month }) => month === name)
  const month = requireClosed(name, months[index])
  const previous = months[index - 1]
  if (previous && !previous.exported) {
    throw new MonthError(`${previous.month} comes first: router retention export ${previous.month}`)
  }
  const folder = join(parent, name)
  const made = await sql.begin('isolation level repeatable read read only', async (snapshot) => {
    // Held until the end, so that the month is not detached meanwhile.
    await snapshot`lock table generations, ledger in access share mode`
    await snapshot`select set_config('timezone', 'UTC', true)`
    const findings: string[] = []
    const chain = { stands: new Map(), refunds: new Map(), isWhole: false }
    const auditor = createAuditor(chain, (subject, problem) => void findings.push(`${subject}: ${problem}`))
    let totals: ReturnType<typeof auditor.end> | undefined
    async function* checked(): AsyncGenerator<string> {
      let rows = 0n
      for await (const line of linesOf(snapshot, month, elsewhere)) {
        auditor.take(line)
        if (findings.length > 0) throw new MonthError(`${name} does not add up: ${findings[0]}`)
        if (++rows % ROWS_PER_WORD === 0n) tellProgress(rows)
        yield `${line}\n`
      }
      totals = auditor.end()
      await requireEveryRecord(snapshot, month, totals, elsewhere)
    }
    const manifestSha256 = await writeExport(folder, checked(), (booksSha256) =>
      describe(month, previous, booksSha256, totals!),
    )
    return { folder, manifestSha256, totals: totals! }
  })
  await requireStill()
  await note(sql, actor, name, made)
  return made
}

/** What is exported, and where to. */
export interface ExportOptions {
  /** `2026-11`. */
  readonly name: string
  readonly parent: string
  /** Workspaces that live in another database, whatever lies in this one (OPS-31). */
  readonly elsewhere?: readonly string[]
  /** Throws when these are others by now. */
  readonly requireStill?: () => Promise<void>
  readonly tellProgress?: (rows: bigint) => void
}

function requireClosed(name: string, month: Month | undefined): Month {
  if (!month) throw new MonthError(`There is no month ${name}. See: router retention list`)
  const { state, endsAt } = month
  if (state === 'closed') return month
  if (state === 'detached' || state === 'dropped')
    throw new MonthError(`${name} is ${state}: it was exported before.`)
  throw new MonthError(`${name} is not closed: that is a day after its end, ${endsAt.toISOString()}.`)
}

/** The books of a month line by line: where each workspace's ledger stood, its rows, and where it stood then. */
async function* linesOf(sql: Queryable, month: Month, elsewhere: readonly string[]): AsyncGenerator<string> {
  const tables = tablesOf(month)
  const rows = sql<{ line: string }[]>`
    select json_build_object(
      'workspace_id', l.workspace_id, 'number', l.number, 'id', l.id, 'kind', l.kind, 'amount_micros', l.amount_micros,
      'balance_after_micros', l.balance_after_micros, 'description', l.description, 'reference', l.reference,
      'idempotency_key', l.idempotency_key, 'created_at', l.created_at,
      'generation', case when g.id is not null then json_build_object(
        'id', g.id, 'key_id', g.key_id, 'operation', g.operation, 'streamed', g.streamed, 'model', g.model,
        'endpoint', g.endpoint, 'evidence_digest', g.evidence_digest, 'status', g.status,
        'finish_reason', g.finish_reason, 'prompt_tokens', g.prompt_tokens, 'completion_tokens', g.completion_tokens,
        'usage_source', g.usage_source, 'prompt_price_micros', g.prompt_price_micros,
        'completion_price_micros', g.completion_price_micros, 'cost_micros', g.cost_micros,
        'latency_ms', g.latency_ms, 'time_to_first_token_ms', g.time_to_first_token_ms, 'settled_by', g.settled_by,
        'created_at', g.created_at, 'settled_at', g.settled_at,
        'correction', case when w.id is not null then json_build_object(
          'completion_tokens', w.completion_tokens, 'cost_micros', w.cost_micros, 'corrected_at', w.corrected_at
        ) end
      ) end
    )::text as line
    from ${sql(tables.ledger)} l
    left join ${sql(tables.generations)} g on l.kind = 'generation' and g.workspace_id = l.workspace_id
      and g.id = substr(l.idempotency_key, ${'generation:'.length + 1}::integer)
    left join withheld_generations w on w.workspace_id = g.workspace_id and w.id = g.id
    where l.workspace_id <> all (${[...elsewhere]}::text[])
    order by l.workspace_id, l.number`
  let last: MonthEntry | undefined
  for await (const batch of rows.cursor(BATCH)) {
    for (const { line: padded } of batch) {
      const entry = JSON.parse(padded) as MonthEntry
      if (entry.workspace_id !== last?.workspace_id) {
        if (last) yield closingOf(last)
        yield openingOf(entry)
      }
      yield JSON.stringify(entry)
      last = entry
    }
  }
  if (last) yield closingOf(last)
}

function openingOf({ workspace_id, number, amount_micros, balance_after_micros }: MonthEntry): string {
  const opening = { number: number - 1, balance_micros: balance_after_micros - amount_micros }
  return JSON.stringify({ workspace_id, opening })
}

function closingOf({ workspace_id, number, balance_after_micros }: MonthEntry): string {
  return JSON.stringify({ workspace_id, closing: { number, balance_micros: balance_after_micros } })
}

/** A record without a debit would be left behind. */
async function requireEveryRecord(
  sql: Queryable,
  month: Month,
  { generations }: Totals,
  elsewhere: readonly string[],
): Promise<void> {
  const [row] = await sql<{ count: bigint }[]>`
    select count(*) as count from ${sql(tablesOf(month).generations)}
    where workspace_id <> all (${[...elsewhere]}::text[])`
  if (row!.count === generations) return
  throw new MonthError(
    `${month.month} has ${row!.count} records and ${generations} debits. See: router ledger verify`,
  )
}

function describe(
  { month, beginsAt, endsAt }: Month,
  previous: Month | undefined,
  booksSha256: string,
  totals: Totals & { readonly workspaces: bigint },
): MonthManifest {
  return {
    format: 'router-month-1',
    month,
    begins_at: beginsAt?.toISOString() ?? null,
    ends_at: endsAt.toISOString(),
    previous: previous ? { month: previous.month, manifest_sha256: previous.exported!.manifestSha256 } : null,
    books_sha256: booksSha256,
    workspaces: Number(totals.workspaces),
    ledger_rows: Number(totals.ledgerRows),
    generations: Number(totals.generations),
    corrections: Number(totals.corrections),
    amount_micros: Number(totals.amountMicros),
  }
}

/** Later months name this one's manifest: where that is another one than before, they have to be exported again. */
async function note(sql: Sql, actor: Actor, name: string, made: MadeExport): Promise<void> {
  const { totals, manifestSha256, folder } = made
  const noted = await audited(
    sql,
    actor,
    async (transaction) => {
      await transaction`
        update book_months m set exported_at = null, manifest_sha256 = null
        from book_months b
        where b.month = ${name} and b.detached_at is null and b.manifest_sha256 <> ${manifestSha256}
          and m.ends_at > b.ends_at`
      const [month] = await transaction<{ month: string }[]>`
        update book_months m set
          exported_at = clock_timestamp(), manifest_sha256 = ${manifestSha256}, ledger_rows = ${totals.ledgerRows},
          generations = ${totals.generations}, corrections = ${totals.corrections},
          amount_micros = ${totals.amountMicros}::numeric
        where m.month = ${name} and m.detached_at is null
        returning m.month`
      return month
    },
    () => [{ act: 'month_exported', subject: name, details: { folder, manifest_sha256: manifestSha256 } }],
  )
  if (!noted) throw new MonthError(`${name} was detached meanwhile.`)
}
