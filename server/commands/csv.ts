import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'

/** One cell; numbers are written as they are. */
export type Cell = string | bigint | number

/** Where rows go, one after the other. */
export interface CsvFile {
  write(rows: readonly (readonly Cell[])[]): Promise<void>
}

/** Written for its owner alone: it says who used what. */
const MODE = 0o600

/**
 * Writes a CSV file (RFC 4180) row by row: `feed` awaits each batch, so no more of it is in memory. The file appears
 * when it is whole and replaces one of that name; a failure leaves what was there. A pipe or a device is written to
 * directly.
 */
export async function writeCsv(
  file: string,
  head: readonly string[],
  feed: (csv: CsvFile) => Promise<void>,
): Promise<void> {
  const isOrdinary = await stat(file).then(
    (found) => found.isFile(),
    () => true,
  )
  const scratch = isOrdinary ? `${file}.${process.pid}.part` : file
  const handle = await open(scratch, 'w', MODE)
  try {
    await fill(handle, head, feed)
    if (isOrdinary) await rename(scratch, file)
  } catch (error) {
    if (isOrdinary) await rm(scratch, { force: true })
    throw error
  }
}

async function fill(
  handle: FileHandle,
  head: readonly string[],
  feed: (csv: CsvFile) => Promise<void>,
): Promise<void> {
  // Appended, for `writeFile` writes the whole text where `write` may stop half-way.
  const write = (rows: readonly (readonly Cell[])[]) => handle.writeFile(rows.map(toLine).join(''))
  try {
    await write([head])
    await feed({ write })
  } finally {
    await handle.close()
  }
}

/** One line with its end. */
export function toLine(row: readonly Cell[]): string {
  return `${row.map(toCell).join(',')}\r\n`
}

// What a spreadsheet takes for a formula when it opens the file; names of keys are chosen by customers.
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/

function toCell(cell: Cell): string {
  if (typeof cell !== 'string') return String(cell)
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
