import { complain, type OutputOptions, print } from '#base/print.ts'
import { verifyExports } from '../retention/verify-exports.ts'

/** `router retention verify`: exit 1 when an export does not add up. It needs no database and no configuration. */
export async function verify(folders: readonly string[], options: OutputOptions): Promise<void> {
  const { months, ledgerRows, generations, findings } = await verifyExports(folders, (month, rows) =>
    complain(`${month}: ${rows} lines`),
  )
  const counts = `${months.length} months, ${ledgerRows} ledger rows, ${generations} generations`
  const told = findings.map(({ month, subject, problem }) => `${month}: ${subject}: ${problem}`)
  const document = { months, ledger_rows: ledgerRows, generations, findings }
  const digests = months.map((one) => `${one.month}  manifest.json  ${one.manifest_sha256}`)
  const verdict = told.length > 0 ? told : ['Rows, records and balances agree.']
  print(options, document, [counts, ...digests, ...verdict])
  if (findings.length > 0) process.exitCode = 1
}
