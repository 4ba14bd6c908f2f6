import type { FileHandle } from 'node:fs/promises'
import type { Fault } from './chain.ts'
import { readHead } from './head.ts'
import { hashOf, type Link, MAX_LINE_BYTES } from './line.ts'
import { examinePart } from './verify.ts'

/** Where a journal ends. */
export interface End {
  /** Length of the whole lines, in bytes. */
  readonly size: number
  /** The last whole line; undefined in a journal that has none. */
  readonly last: Link | undefined
  /** Length of what a crash left of a line behind it. */
  readonly tornBytes: number
}

/** A journal that nobody may add to before a person has looked at it. */
export class DamagedJournalError extends Error {
  override readonly name = 'DamagedJournalError'

  constructor(file: string, { message }: Fault) {
    super(
      `The journal ${file} does not hold: ${message} Look at it with \`proxy journal verify\`, then move it and its .head file away to begin a new one.`,
    )
  }
}

const LINE_END = 0x0a

/**
 * Finds where a journal ends. When its last line is the one that the head names, that is all; after a crash, and when
 * anything else is the matter, the whole of it is examined.
 */
export async function findEnd(file: string, handle: FileHandle): Promise<End> {
  const { size: length } = await handle.stat()
  const { size, lastLine } = await readEnd(handle, length)
  const tornBytes = length - size
  const named = readHead(file)
  if (named && lastLine !== undefined && hashOf(lastLine) === named.hash)
    return { size, last: named, tornBytes }
  const { head, faults } = await examinePart(file)
  const [fault] = faults
  if (fault !== undefined) throw new DamagedJournalError(file, fault)
  return { size, last: head, tornBytes }
}

/** The last whole line, as far as it fits, and where it ends. */
async function readEnd(
  handle: FileHandle,
  length: number,
): Promise<{ readonly size: number; readonly lastLine: Buffer | undefined }> {
  const from = Math.max(0, length - 2 * (MAX_LINE_BYTES + 1))
  const bytes = Buffer.alloc(length - from)
  await handle.read(bytes, 0, bytes.length, from)
  const end = bytes.lastIndexOf(LINE_END)
  // Without any line end the whole of it is what a crash left of the first line; far in, it is no journal at all.
  if (end === -1) return { size: from === 0 ? 0 : length, lastLine: undefined }
  const begin = end === 0 ? 0 : bytes.lastIndexOf(LINE_END, end - 1) + 1
  return { size: from + end + 1, lastLine: bytes.subarray(begin, end) }
}
