import { verifyLedger } from '../metering/verify-ledger.ts'
import { withDatabase } from './database.ts'
import { type CommonOptions, print } from './output.ts'

/** `router ledger verify`: exit 1 when ledger, records, holds and balances do not agree. */
export async function verify(options: CommonOptions): Promise<void> {
  const result = await withDatabase(options.config, verifyLedger)
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
    ...(lines.length > 0 ? lines : ['Ledger, records and balances agree.']),
  ])
  if (differences.length > 0) process.exitCode = 1
}
