import type { MonthFinding, MonthLink, MonthManifest } from '#contract/models'
import { type Chain, createAuditor } from './auditor.ts'
import { ExportError, readBooks, readManifest } from './files.ts'

/** What was found in exports. */
export interface Verification {
  readonly months: readonly MonthLink[]
  readonly ledgerRows: bigint
  readonly generations: bigint
  readonly findings: readonly MonthFinding[]
}

/** Findings beyond this many are not listed, ours. */
const MAX_FINDINGS = 1_000

/**
 * Proves exports without a database (CRED-46): each by itself, and each against the month before where that is among
 * them. Throws `ExportError` for a folder whose manifest cannot be read.
 */
export async function verifyExports(
  folders: readonly string[],
  tellProgress: (month: string, rows: bigint) => void = () => {},
): Promise<Verification> {
  const read = await Promise.all(folders.map(async (folder) => ({ folder, ...(await readManifest(folder)) })))
  const exports = read.toSorted((one, other) => (one.manifest.ends_at < other.manifest.ends_at ? -1 : 1))
  const chain: Chain = {
    stands: new Map(),
    refunds: new Map(),
    isWhole: exports[0]?.manifest.previous === null,
  }
  const findings: MonthFinding[] = []
  let [ledgerRows, generations] = [0n, 0n]
  let before: MonthLink | undefined
  for (const { folder, manifest, sha256 } of exports) {
    const { month, previous } = manifest
    const tell = (subject: string, problem: string): void => {
      if (findings.length < MAX_FINDINGS) findings.push({ month, subject, problem })
    }
    if (before && previous?.month !== before.month) tell(month, `it does not follow ${before.month}`)
    else if (before && previous?.manifest_sha256 !== before.manifest_sha256) {
      tell(month, `it follows another export of ${before.month}`)
    }
    const auditor = createAuditor(chain, tell)
    try {
      let rows = 0n
      const booksSha256 = await readBooks(folder, (line) => {
        auditor.take(line)
        if (++rows % ROWS_PER_WORD === 0n) tellProgress(month, rows)
      })
      if (booksSha256 !== manifest.books_sha256) tell('books.ndjson.gz', 'its SHA-256 is not the manifest’s')
    } catch (error) {
      if (!(error instanceof ExportError)) throw error
      tell('books.ndjson.gz', error.message)
    }
    const totals = auditor.end()
    const counted = {
      workspaces: totals.workspaces,
      ledger_rows: totals.ledgerRows,
      generations: totals.generations,
      corrections: totals.corrections,
      amount_micros: totals.amountMicros,
    } satisfies { [Name in keyof MonthManifest]?: bigint }
    for (const [name, count] of Object.entries(counted)) {
      const said = manifest[name as keyof typeof counted]
      if (count !== BigInt(said)) tell('manifest.json', `${name} is ${said}, the books have ${count}`)
    }
    ledgerRows += totals.ledgerRows
    generations += totals.generations
    before = { month, manifest_sha256: sha256 }
  }
  const months = exports.map(({ manifest, sha256 }) => ({ month: manifest.month, manifest_sha256: sha256 }))
  return { months, ledgerRows, generations, findings }
}

const ROWS_PER_WORD = 1_000_000n
