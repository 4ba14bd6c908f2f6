import { createHash, type Hash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { MonthManifest } from '#contract/models'
import { isMonthManifest } from '#contract/validators/month-manifest'

/** The files of an exported month. */
const BOOKS = 'books.ndjson.gz'
const MANIFEST = 'manifest.json'
const SUMS = 'SHA256SUMS'

/** Written for their owner alone: they say who used what. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** No line of ours is as long. */
const MAX_LINE = 1_048_576

/** A manifest as it lies in its folder. */
export interface ReadManifest {
  readonly manifest: MonthManifest
  /** SHA-256 in hex. */
  readonly sha256: string
}

/** A folder that holds no export that could be looked at. */
export class ExportError extends Error {
  override readonly name = 'ExportError'
}

/**
 * Writes a month's folder: its books line by line, then what `describe` makes of their SHA-256. The folder appears when
 * it is whole. Resolves the SHA-256 of the manifest. Throws `ExportError` where there is something of that name.
 */
export async function writeExport(
  folder: string,
  lines: AsyncIterable<string>,
  describe: (booksSha256: string) => MonthManifest,
): Promise<string> {
  if (existsSync(folder))
    throw new ExportError(`${folder} is there already: remove it, or export to another folder.`)
  const scratch = `${folder}.${process.pid}.part`
  await rm(scratch, { recursive: true, force: true })
  await mkdir(scratch, { recursive: true, mode: FOLDER_MODE })
  try {
    const handle = await open(join(scratch, BOOKS), 'wx', FILE_MODE)
    const hash = createHash('sha256')
    // Closes the handle behind what it has written to the disk.
    const file = handle.createWriteStream({ flush: true })
    await pipeline(Readable.from(lines, { objectMode: true }), createGzip(), hashing(hash), file)
    const booksSha256 = hash.digest('hex')
    const manifest = `${JSON.stringify(describe(booksSha256), null, 2)}\n`
    const sha256 = createHash('sha256').update(manifest).digest('hex')
    await writeDurably(join(scratch, MANIFEST), manifest)
    await writeDurably(join(scratch, SUMS), `${booksSha256}  ${BOOKS}\n${sha256}  ${MANIFEST}\n`)
    // What is exported may be dropped: its name has to be on the disk as well.
    await syncFolder(scratch)
    await rename(scratch, folder)
    await syncFolder(dirname(folder))
    return sha256
  } catch (error) {
    await rm(scratch, { recursive: true, force: true })
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', FILE_MODE)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Reads what an export says of itself. Throws `ExportError`. */
export async function readManifest(folder: string): Promise<ReadManifest> {
  const bytes = await readFile(join(folder, MANIFEST)).catch((cause: unknown) => {
    throw new ExportError(`${folder} holds no export: ${(cause as Error).message}`, { cause })
  })
  try {
    const manifest: unknown = JSON.parse(bytes.toString('utf8'))
    if (!isMonthManifest(manifest)) throw new Error('it is of another form')
    return { manifest, sha256: createHash('sha256').update(bytes).digest('hex') }
  } catch (cause) {
    throw new ExportError(`${join(folder, MANIFEST)} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

/** Hands over the lines of a month's books, and resolves the SHA-256 of the file. Throws `ExportError`. */
export async function readBooks(folder: string, take: (line: string) => void): Promise<string> {
  const hash = createHash('sha256')
  let rest = ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    await pipeline(
      createReadStream(join(folder, BOOKS)),
      hashing(hash),
      createGunzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
          rest = lines.pop()!
          if (rest.length > MAX_LINE) throw new Error('a line has no end')
          for (const line of lines) take(line)
        }
      },
    )
    if (rest + decoder.decode() !== '') throw new Error('the last line has no end')
  } catch (cause) {
    throw new ExportError(`${join(folder, BOOKS)} cannot be read: ${(cause as Error).message}`, { cause })
  }
  return hash.digest('hex')
}

function hashing(hash: Hash): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
}
