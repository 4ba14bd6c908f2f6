import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { readHead, writeHead } from './head.ts'
import { type Entry, GENESIS, type Link, writeLine } from './line.ts'
import { type Lock, takeLock } from './lock.ts'
import { findEnd } from './recover.ts'

/** What a writer needs from the world. */
export interface WriterDependencies {
  readonly file: string
  readonly log: Log
  readonly now?: () => Date
}

/** Lines that wait while the disk takes none; what comes then is counted and told later (ours). */
const MAX_WAITING = 10_000

/** Rest after a write that failed (ours). */
const RETRY_MS = 1_000

/** Somebody else writes the file in spite of the lock, as two machines that share a disk may. */
class ForeignWriteError extends Error {
  override readonly name = 'ForeignWriteError'

  constructor(file: string) {
    super(
      `${file} was changed or moved by somebody else; this proxy writes no more into it until it is started anew.`,
    )
  }
}

interface Waiting {
  readonly text: string
  readonly link: Link
}

/**
 * The one writer of a journal. Lines are chained as they come and written together with what came meanwhile; a batch is
 * on the disk before the head names it. A disk that takes nothing stops no request.
 */
export class JournalWriter {
  readonly #file: string
  readonly #log: Log
  readonly #now: () => Date
  readonly #lock: Lock
  readonly #handle: FileHandle
  readonly #closing = new AbortController()
  /** Where the lines end that are on the disk for certain, and where those do that may be. */
  #size: number
  #reached: number
  #last: Link | undefined
  #waiting: Waiting[] = []
  #lost = 0
  #running: Promise<void> | undefined

  private constructor(
    { file, log, now = () => new Date() }: WriterDependencies,
    lock: Lock,
    handle: FileHandle,
    { size, last }: { readonly size: number; readonly last: Link | undefined },
  ) {
    this.#file = file
    this.#log = log
    this.#now = now
    this.#lock = lock
    this.#handle = handle
    this.#size = size
    this.#reached = size
    this.#last = last
  }

  /** Opens a journal for writing, or begins one. Throws when another process writes it, or when it does not hold. */
  static async open(dependencies: WriterDependencies): Promise<JournalWriter> {
    const { file } = dependencies
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const lock = takeLock(file)
    let handle: FileHandle | undefined
    try {
      handle = await openFile(file)
      const end = await findEnd(file, handle)
      if (end.tornBytes > 0) await handle.truncate(end.size)
      const writer = new JournalWriter(dependencies, lock, handle, end)
      if (end.last === undefined) writer.append(GENESIS)
      if (end.tornBytes > 0 && end.last !== undefined) {
        writer.append({ kind: 'gap', lost_lines: 0, torn_bytes: end.tornBytes })
      } else if (end.last !== undefined && readHead(file)?.hash !== end.last.hash) {
        // A crash came between the two; with the next line they are in step at the latest.
        await writeHead(file, end.last).catch((error) =>
          writer.#log.error('the head cannot be written', { error }),
        )
      }
      return writer
    } catch (error) {
      await handle?.close()
      lock.release()
      throw error
    }
  }

  /** Puts a line behind the last one. It is written soon; nothing waits for it. */
  append(entry: Entry): void {
    if (this.#closing.signal.aborted) return
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lost += 1
      return
    }
    this.#tellLost()
    this.#chain(entry)
    this.#run()
  }

  /** Resolves when every line so far is on the disk, or the writer has been closed. */
  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  /** Writes what waits, as far as the disk takes it, and lets another writer in. */
  async close(): Promise<void> {
    this.#tellLost()
    this.#run()
    this.#closing.abort()
    await this.flush()
    await this.#handle.close()
    this.#lock.release()
  }

  #tellLost(): void {
    if (this.#lost === 0) return
    this.#chain({ kind: 'gap', lost_lines: this.#lost, torn_bytes: 0 })
    this.#lost = 0
  }

  #chain(entry: Entry): void {
    const line = writeLine(entry, this.#now(), this.#last)
    this.#last = line.link
    this.#waiting.push(line)
  }

  #run(): void {
    this.#running ??= this.#writeAll().finally(() => {
      this.#running = undefined
      if (this.#waiting.length > 0) this.#run()
    })
  }

  async #writeAll(): Promise<void> {
    let isFailing = false
    // What comes in the same turn goes along.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice()
      try {
        await this.#write(batch)
        this.#waiting.splice(0, batch.length)
        isFailing = false
      } catch (error) {
        if (!isFailing) this.#log.error('the journal cannot be written; requests go on without it', { error })
        isFailing = true
        if (error instanceof ForeignWriteError) this.#closing.abort()
        if (this.#closing.signal.aborted) {
          this.#waiting = []
          return
        }
        await sleep(RETRY_MS, undefined, this.#closing).catch(() => {})
      }
    }
  }

  async #checkOwn(): Promise<void> {
    const { size, ino } = await this.#handle.stat()
    const inPlace = await stat(this.#file).catch(() => undefined)
    const isOwn = inPlace?.ino === ino && size >= this.#size && size <= this.#reached
    if (!isOwn) throw new ForeignWriteError(this.#file)
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const bytes = Buffer.from(`${batch.map(({ text }) => text).join('\n')}\n`)
    await this.#checkOwn()
    this.#reached = this.#size + bytes.length
    try {
      for (let sent = 0; sent < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(bytes, sent, undefined, this.#size + sent)
        sent += bytesWritten
      }
      await this.#handle.datasync()
    } catch (error) {
      await this.#handle.truncate(this.#size).catch(() => {})
      throw error
    }
    await writeHead(this.#file, batch.at(-1)!.link)
    this.#size += bytes.length
  }
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return open(file, 'wx+', 0o600)
  }
}
