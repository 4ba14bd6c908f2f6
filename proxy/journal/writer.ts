import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lock } from '#base/lock.ts'
import type { Log } from '../log.ts'
import { readHead, writeHead } from './head.ts'
import { type Entry, GENESIS, type Link, writeLine } from './line.ts'
import { lockJournal } from './lock.ts'
import { ForeignWriteError, JournalPart } from './part.ts'
import { partsOf, readContinuation } from './parts.ts'
import { findEnd } from './recover.ts'
import { type BrokenOff, beginContinuation, brokenOffBefore } from './resume.ts'

/** What a writer needs from the world. */
export interface WriterDependencies {
  readonly file: string
  readonly log: Log
  readonly now?: () => Date
  /** How long lines are gathered behind a write, in milliseconds; tests pass others. */
  readonly gatherMs?: number
}

/** How the journal fares. */
export interface WriterState {
  /** The file that is written now. */
  readonly file: string
  readonly isFailing: boolean
  /** What that file goes on from; undefined when the journal was never broken off. */
  readonly continues: BrokenOff | undefined
  readonly waitingLines: number
  /** Lines that were lost since the writer was opened. */
  readonly lostLines: number
}

/** Lines that wait while the disk takes none; what comes then is counted and told later (ours). */
const MAX_WAITING = 10_000

/**
 * What comes within so long of a write leaves with the next one (ours): a write, its head and what makes sure of both
 * are a dozen calls of the system, for one line as for a hundred.
 */
const GATHER_MS = 100

/** Rest after a write that failed (ours). */
const RETRY_MS = 1_000

interface Waiting {
  readonly entry: Entry
  readonly time: Date
  readonly text: string
  readonly link: Link
}

/**
 * The one writer of a journal. Lines are chained as they come and written together with what came meanwhile. A disk
 * that takes nothing stops no request; a file that somebody else wrote into is left, and the journal goes on in another.
 */
export class JournalWriter {
  readonly #file: string
  readonly #log: Log
  readonly #now: () => Date
  readonly #gatherMs: number
  readonly #lock: Lock
  readonly #closing = new AbortController()
  #part: JournalPart
  #continues: BrokenOff | undefined
  /** The end of the chain, which may still wait for the disk. */
  #last: Link | undefined
  #waiting: Waiting[] = []
  /** Lines lost that the journal does not tell of yet, and all of them. */
  #lost = 0
  #lostInAll = 0
  #isFailing = false
  #writtenAtMs = Number.NEGATIVE_INFINITY
  #running: Promise<void> | undefined

  private constructor(
    { file, log, now = () => new Date(), gatherMs = GATHER_MS }: WriterDependencies,
    lock: Lock,
    part: JournalPart,
    continues: BrokenOff | undefined,
  ) {
    this.#file = file
    this.#log = log
    this.#now = now
    this.#gatherMs = gatherMs
    this.#lock = lock
    this.#part = part
    this.#continues = continues
    this.#last = part.last
  }

  /** Opens a journal for writing, or begins one. Throws when another process writes it, or when it does not hold. */
  static async open(dependencies: WriterDependencies): Promise<JournalWriter> {
    await mkdir(dirname(dependencies.file), { recursive: true, mode: 0o700 })
    const lock = lockJournal(dependencies.file)
    const file = partsOf(dependencies.file).findLast(readContinuation) ?? dependencies.file
    let handle: FileHandle | undefined
    try {
      handle = await openFile(file)
      const end = await findEnd(file, handle)
      if (end.tornBytes > 0) await handle.truncate(end.size)
      const writer = new JournalWriter(
        dependencies,
        lock,
        new JournalPart(file, handle, end),
        brokenOffBefore(file),
      )
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

  get state(): WriterState {
    return {
      file: this.#part.file,
      isFailing: this.#isFailing,
      continues: this.#continues,
      waitingLines: this.#waiting.length,
      lostLines: this.#lostInAll,
    }
  }

  /** Puts a line behind the last one. It is written soon; nothing waits for it. */
  append(entry: Entry): void {
    if (this.#closing.signal.aborted) return
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lost += 1
      this.#lostInAll += 1
      return
    }
    this.#tellLost()
    this.#chain(entry, this.#now())
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
    await this.#part.close()
    this.#lock.release()
  }

  #tellLost(): void {
    if (this.#lost === 0) return
    this.#chain({ kind: 'gap', lost_lines: this.#lost, torn_bytes: 0 }, this.#now())
    this.#lost = 0
  }

  #chain(entry: Entry, time: Date): void {
    const line = writeLine(entry, time, this.#last)
    this.#last = line.link
    this.#waiting.push({ ...line, entry, time })
  }

  #run(): void {
    this.#running ??= this.#writeAll().finally(() => {
      this.#running = undefined
      if (this.#waiting.length > 0) this.#run()
    })
  }

  async #writeAll(): Promise<void> {
    // What comes in the same turn goes along.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      await this.#gather()
      try {
        await this.#writeBatch()
        this.#isFailing = false
        this.#writtenAtMs = performance.now()
      } catch (error) {
        if (!this.#isFailing)
          this.#log.error('the journal cannot be written; requests go on without it', { error })
        this.#isFailing = true
        if (this.#closing.signal.aborted) return this.#giveUp(error)
        await sleep(RETRY_MS, undefined, this.#closing).catch(() => {})
      }
    }
  }

  /** Nobody writes them any more, and the journal cannot say so. Where its head alone failed, they are there. */
  #giveUp(error: unknown): void {
    const lines = this.#waiting.reduce(
      (sum, { entry }) => sum + (entry.kind === 'gap' ? entry.lost_lines : 1),
      this.#lost,
    )
    this.#waiting = []
    this.#log.error('the proxy stops, and lines that its journal could not take may be lost', {
      lines,
      error,
    })
  }

  /** A writer that is closed does not wait. */
  async #gather(): Promise<void> {
    const restMs = this.#writtenAtMs + this.#gatherMs - performance.now()
    if (restMs > 0) await sleep(restMs, undefined, this.#closing).catch(() => {})
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#waiting.slice()
    try {
      await this.#part.write(`${batch.map(({ text }) => text).join('\n')}\n`, batch.at(-1)!.link)
      this.#waiting.splice(0, batch.length)
    } catch (error) {
      if (!(error instanceof ForeignWriteError)) throw error
      await this.#goOn(error)
    }
  }

  /** Leaves the file to whoever wrote into it; what waits is chained anew behind the last line of our own. */
  async #goOn(error: ForeignWriteError): Promise<void> {
    const [left, since, { reason }] = [this.#part, this.#now(), error]
    const part = await beginContinuation(this.#file, left, { since, reason })
    const waiting = this.#waiting
    this.#part = part
    const { seq: line = 0, hash = null } = left.last ?? {}
    this.#continues = { file: left.file, line, hash, since, reason }
    this.#last = part.last
    this.#waiting = []
    // A file that goes on from another says so in place of what a journal begins with.
    for (const { entry, time } of waiting) if (entry.kind !== 'genesis') this.#chain(entry, time)
    this.#log.error('the journal goes on in a new file, as somebody else changed the one before', {
      file: part.file,
      error,
    })
    await left.close().catch(() => {})
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
