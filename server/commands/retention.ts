import { complain } from '#base/print.ts'
import { detachMonth, dropMonth, type Left } from '../retention/detach-month.ts'
import { exportMonth, type MadeExport } from '../retention/export-month.ts'
import { listMonths, type Month, type Totals } from '../retention/months.ts'
import { HOME } from '../store/cells.ts'
import type { Sql } from '../store/connection.ts'
import { findElsewhere, isAnyMoving } from '../store/moves.ts'
import { type ActOptions, actorOf } from './actor.ts'
import { withCells } from './cells.ts'
import { type CommonOptions, columns, formatTime, print } from './output.ts'
import { UsageError } from './usage.ts'

/** Months lie in each cell for itself; home's when left out. */
export interface CellOption {
  readonly cell?: string
}

/** What `router retention export` takes. */
export interface ExportCommandOptions extends ActOptions, CellOption {
  readonly to: string
}

/** What `router retention detach` and `drop` take. */
export interface LeaveCommandOptions extends ActOptions, CellOption {
  readonly export: string
}

/** `router retention list`: every month that was ever begun. */
export async function list(options: CommonOptions & CellOption): Promise<void> {
  const months = await withCell(options, listMonths)
  const head = ['MONTH', 'STATE', 'EXPORTED', 'LEDGER ROWS', 'GENERATIONS', 'MANIFEST']
  print(options, months.map(toDocument), columns([head, ...months.map(toCells)]))
}

/** `router retention export MONTH --to FOLDER`. */
export async function write(name: string, options: ExportCommandOptions): Promise<void> {
  requireMonth(name)
  const actor = actorOf(options)
  const tellProgress = (rows: bigint) => complain(`${name}: ${rows} lines`)
  const made = await withStillCell(options, (sql, elsewhere, requireStill) =>
    exportMonth(sql, actor, { name, parent: options.to, elsewhere, requireStill, tellProgress }),
  )
  tell(options, name, made, `${name} is in ${made.folder}`)
}

/** `router retention detach MONTH --export FOLDER`. */
export async function detach(name: string, options: LeaveCommandOptions): Promise<void> {
  const left = await leave(name, options, detachMonth)
  tell(
    options,
    name,
    left,
    `${name} is out of the tables; its rows lie in tables of their own until they are dropped`,
  )
}

/** `router retention drop MONTH --export FOLDER`. */
export async function drop(name: string, options: LeaveCommandOptions): Promise<void> {
  const left = await leave(name, options, dropMonth)
  tell(options, name, left, `${name} has left the database; ${options.export} is all there is of it`)
}

async function leave(
  name: string,
  options: LeaveCommandOptions,
  act: typeof detachMonth,
): Promise<MadeExport> {
  requireMonth(name)
  const actor = actorOf(options)
  const folder = options.export
  const left: Left = await withStillCell(options, (sql, elsewhere) =>
    act(sql, actor, { name, folder, elsewhere }),
  )
  return { ...left, folder }
}

function withCell<Result>(
  { config, cell }: CommonOptions & CellOption,
  use: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  return withCells(config, async (cells) => use(await cells.named(cell)))
}

/** While a workspace is on its way from or to a cell, nobody can say in which one its rows are to be exported. */
function withStillCell<Result>(
  { config, cell = HOME }: CommonOptions & CellOption,
  use: (sql: Sql, elsewhere: readonly string[], requireStill: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  return withCells(config, async ({ home, named }) => {
    async function requireStill(): Promise<void> {
      if (!(await isAnyMoving(home, cell))) return
      throw new Error(
        `A workspace is moving from or to the cell ${cell}. Run it again when it has come there.`,
      )
    }
    const sql = await named(cell)
    await requireStill()
    const elsewhere = await findElsewhere(home)
    return await use(sql, elsewhere.get(cell) ?? [], requireStill)
  })
}

function requireMonth(text: string): void {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new UsageError(`A month is such as 2026-11, not "${text}".`)
}

function tell(options: CommonOptions, month: string, made: MadeExport, what: string): void {
  const { folder, manifestSha256, totals } = made
  const document = { month, folder, manifest_sha256: manifestSha256, ...toTotals(totals) }
  const held = `${totals.ledgerRows} ledger rows, ${totals.generations} generations`
  print(options, document, [`${what}: ${held}.`, `manifest.json  ${manifestSha256}`])
}

function toDocument({ month, beginsAt, endsAt, state, exported }: Month) {
  return {
    month,
    begins_at: beginsAt,
    ends_at: endsAt,
    state,
    exported: exported && {
      at: exported.at,
      manifest_sha256: exported.manifestSha256,
      ...toTotals(exported.totals),
    },
  }
}

function toTotals({ ledgerRows, generations, corrections, amountMicros }: Totals) {
  return { ledger_rows: ledgerRows, generations, corrections, amount_micros: amountMicros }
}

function toCells({ month, beginsAt, state, exported }: Month): string[] {
  const name = beginsAt === null ? `${month} and before` : month
  if (!exported) return [name, state, '-', '-', '-', '-']
  const { at, totals, manifestSha256 } = exported
  return [name, state, formatTime(at), String(totals.ledgerRows), String(totals.generations), manifestSha256]
}
