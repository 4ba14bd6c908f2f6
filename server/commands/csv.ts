import { writeFile } from 'node:fs'
import { type FileHandle, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type Cell, toLine } from '../csv.ts'

/** Where rows go, one after the other. */
export interface CsvFile {
  write(rows: readonly (readonly Cell[])[]): Promise<void>
}

/** Written for its owner alone: it says who used what. */
const MODE = 0o600

/** What is open already: the shell has opened it, and others may write to it before and after. */
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/

/** As many links as Linux follows; more lead in a circle. */
const MAX_LINKS = 40

/** The descriptor that a name stands for, as `/dev/stdout` does, or leads to; undefined for any other name. */
export async function findDescriptor(name: string): Promise<number | undefined> {
  let at = name
  for (let left = MAX_LINKS; left > 0; left--) {
    const number = DESCRIPTOR.exec(at)?.[1]
    if (number !== undefined) return Number(number)
    const link = await readlink(at).catch(() => undefined)
    if (link === undefined) return undefined
    at = resolve(dirname(at), link)
  }
  return undefined
}

/**
 * Writes a CSV file (RFC 4180) row by row: `feed` awaits each batch, so no more of it is in memory. The file appears
 * when it is whole and replaces one of that name; a failure leaves what was there. A pipe, a device and what is open
 * already are written to directly. Where the name is a link, all this is about what it leads to. Resolves whether there
 * is a file now.
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
  const descriptor = await findDescriptor(name)
  if (isOrdinary && descriptor !== undefined) {
    // Behind what stands there, as `>>` has it: opened anew, or replaced, it would lose that.
    await fill((text) => writeOn(descriptor, text), head, feed)
    return false
  }
  if (!isOrdinary) {
    await fillHandle(await open(file, 'w'), head, feed)
    return false
  }
  const scratch = `${file}.${process.pid}.part`
  // Left by an earlier run, or laid by somebody else: nothing is written through it.
  await rm(scratch, { force: true })
  const handle = await open(scratch, 'wx', MODE)
  try {
    await fillHandle(handle, head, feed)
    await rename(scratch, file)
    return true
  } catch (error) {
    await rm(scratch, { force: true })
    throw error
  }
}

const writeOn = promisify(writeFile)

async function fillHandle(
  handle: FileHandle,
  head: readonly string[],
  feed: (csv: CsvFile) => Promise<void>,
): Promise<void> {
  try {
    // Appended, for `writeFile` writes the whole text where `write` may stop half-way.
    await fill((text) => handle.writeFile(text), head, feed)
  } finally {
    await handle.close()
  }
}

async function fill(
  writeText: (text: string) => Promise<void>,
  head: readonly string[],
  feed: (csv: CsvFile) => Promise<void>,
): Promise<void> {
  const write = (rows: readonly (readonly Cell[])[]) => writeText(rows.map(toLine).join(''))
  await write([head])
  await feed({ write })
}
