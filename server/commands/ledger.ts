import { type LedgerReport, verifyLedger } from '../metering/verify-ledger.ts'
import { HOME } from '../store/cells.ts'
import { findMisplaced, type Misplaced } from '../store/directory.ts'
import { type Cells, withCells } from './cells.ts'
import { type CommonOptions, print } from './output.ts'

/** `router ledger verify`: exit 1 when ledger, records, holds and balances do not agree. */
export async function verify(options: CommonOptions): Promise<void> {
  const { areSeveral, result } = await withCells(options.config, async (cells) => {
    return { areSeveral: cells.areSeveral, result: await verifyCells(cells) }
  })
  const {
    workspaces,
    entries,
    generations,
    open_holds: openHolds,
    detached_months: detached,
    differences,
  } = result
  const counts = `${workspaces} workspaces, ${entries} ledger rows, ${generations} generations, ${openHolds} open holds`
  const carried = detached > 0 ? [`${detached} months were detached; what they held is counted in.`] : []
  const lines = differences.map(
    ({ workspace_id: workspace, check, subject, expected, actual }) =>
      `${workspace}: ${check} of ${subject} is ${actual}, not ${expected}`,
  )
  print(options, result, [
    counts,
    ...carried,
    ...(areSeveral ? ['Each cell was looked at in a snapshot of its own.'] : []),
    ...(lines.length > 0 ? lines : ['Ledger, records and balances agree.']),
  ])
  if (differences.length > 0) process.exitCode = 1
}

/** Each cell by itself, for nothing is settled across two; and what each has against what the directory says of it. */
async function verifyCells({ each, home, counting }: Cells): Promise<LedgerReport> {
  const reports = await counting((elsewhere) =>
    each(async (sql, cell) => {
      const report = await verifyLedger(sql, elsewhere(cell))
      const misplaced = cell === HOME ? [] : await findMisplaced(home, cell, sql, elsewhere(cell))
      return { ...report, differences: [...report.differences, ...misplaced.map(toDifference)] }
    }),
  )
  return reports.reduce((one, other) => ({
    workspaces: one.workspaces + other.workspaces,
    entries: one.entries + other.entries,
    generations: one.generations + other.generations,
    open_holds: one.open_holds + other.open_holds,
    detached_months: one.detached_months + other.detached_months,
    differences: [...one.differences, ...other.differences],
  }))
}

function toDifference({ check, workspaceId, subject, cell, placedIn }: Misplaced) {
  return { check, workspace_id: workspaceId, subject, expected: cell, actual: placedIn }
}
