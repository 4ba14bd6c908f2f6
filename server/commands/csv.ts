import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'

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
 * directly. Where the name is a link, all this is about what it leads to. Resolves whether there is a file now.
 */
export async function writeCsv(
  name: string,
  head: readonly string[],
  feed: (csv: CsvFile) => Promise<void>,
): Promise<boolean> {
  // /dev/stdout is a link, and must stay one. What leads to no file, as that does to a pipe, is taken as it is.
  const file = await realpath(name).catch(() => name)
  const isOrdinary = await stat(file).then(
    (found) => found.isFile(),
    () => true,
  )
  if (!isOrdinary) {
    await fill(await open(file, 'w'), head, feed)
    return false
  }
  const scratch = `${file}.${process.pid}.part`
  // Left by an earlier run, or laid by somebody else: nothing is written through it.
  await rm(scratch, { force: true })
  const handle = await open(scratch, 'wx', MODE)
  try {
    await fill(handle, head, feed)
    await rename(scratch, file)
    return true
  } catch (error) {
    await rm(scratch, { force: true })
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

// What a spreadsheet takes for a formula when it opens the file, or looks as if it were one; names of keys are chosen by
// customers. Half of the world's spreadsheets begin a cell at a semicolon too.
const FORMULA = /(?<=^|[;\t\r\n])(?=[=+\-@\t\r\n＝＋－＠])/g
const NEEDS_QUOTES = /[",;\t\r\n]/

function toCell(cell: Cell): string {
  if (typeof cell !== 'string') return String(cell)
  const text = cell.replace(FORMULA, "'")
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
