import { type FileHandle, open, stat } from 'node:fs/promises'
import type { components } from '#contract/types'
import { writeHead } from './head.ts'
import type { Link } from './line.ts'

/** Why a journal cannot go on in a file. */
export type Break = components['schemas']['JournalBreak']

/** Somebody else writes the file in spite of the lock, as two machines that share a disk may, or took it away. */
export class ForeignWriteError extends Error {
  override readonly name = 'ForeignWriteError'
  readonly reason: Break

  constructor(file: string, reason: Break) {
    super(`${file} was ${reason === 'moved' ? 'moved' : 'written to'} by somebody else.`)
    this.reason = reason
  }
}

/** Where the lines of a file end. */
export interface PartEnd {
  readonly size: number
  /** The last line that is on the disk for certain; undefined when there is none in the whole journal. */
  readonly last: Link | undefined
}

/** One file of a journal, open for writing. What it is told is on the disk before the head names it. */
export class JournalPart {
  readonly file: string
  readonly #handle: FileHandle
  #last: Link | undefined
  /** Where the lines end that are on the disk for certain, and where those do that may be. */
  #size: number
  #reached: number

  constructor(file: string, handle: FileHandle, { size, last }: PartEnd) {
    this.file = file
    this.#handle = handle
    this.#last = last
    this.#size = size
    this.#reached = size
  }

  /** Begins a file behind a line of another; rejects with EEXIST when it is there. */
  static async begin(file: string, last: Link | undefined): Promise<JournalPart> {
    return new JournalPart(file, await open(file, 'wx+', 0o600), { size: 0, last })
  }

  get last(): Link | undefined {
    return this.#last
  }

  /** Writes lines; rejects with the disk's error, or with `ForeignWriteError`. */
  async write(text: string, last: Link): Promise<void> {
    const bytes = Buffer.from(text)
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
    await writeHead(this.file, last)
    this.#size += bytes.length
    this.#last = last
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  async #checkOwn(): Promise<void> {
    const { size, ino } = await this.#handle.stat()
    const inPlace = await stat(this.file).catch(() => undefined)
    if (inPlace?.ino !== ino) throw new ForeignWriteError(this.file, 'moved')
    if (size < this.#size || size > this.#reached) throw new ForeignWriteError(this.file, 'foreign_write')
  }
}
