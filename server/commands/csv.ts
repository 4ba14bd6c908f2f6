import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { type Cell, toLine } from '../csv.ts'

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
