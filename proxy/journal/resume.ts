import { mkdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Digest, parseDigest } from '#attestation'
import type { components } from '#contract/types'
import { type Link, writeLine } from './line.ts'
import { type Break, JournalPart } from './part.ts'
import { continuationFile, FIRST_CONTINUATION, readContinuation } from './parts.ts'

type JournalContinuationOutput = components['schemas']['JournalContinuationOutput']

/** Where, when and why a journal was broken off. */
export interface BrokenOff {
  /** The file that it was broken off in. */
  readonly file: string
  /** Number of the last line that was written there; 0 when there was none. */
  readonly line: number
  /** The hash of that line; null when there was none. */
  readonly hash: Digest | null
  readonly since: Date
  readonly reason: Break
}

/** Most files that one journal goes on in (ours). */
const MAX_PARTS = 1_000

/**
 * Begins the next file of a journal, which nobody has begun yet, with the line that says what it goes on from. Its
 * folder may have gone as well. Rejects when the disk does not take the line; then there is no such file either.
 */
export async function beginContinuation(
  file: string,
  left: Pick<JournalPart, 'file' | 'last'>,
  { since, reason }: Pick<BrokenOff, 'since' | 'reason'>,
): Promise<JournalPart> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const from = basename(left.file)
  const entry = { kind: 'continuation', format: 'proxy-journal', version: 1, from, reason } as const
  const { text, link } = writeLine(entry, since, left.last)
  const part = await beginNext(file, left.last)
  try {
    await part.write(`${text}\n`, link)
    return part
  } catch (error) {
    await part.close().catch(() => {})
    await rm(part.file, { force: true })
    throw error
  }
}

async function beginNext(file: string, last: Link | undefined): Promise<JournalPart> {
  for (let number = FIRST_CONTINUATION; number <= MAX_PARTS; number++) {
    try {
      return await JournalPart.begin(continuationFile(file, number), last)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  throw new Error(`${file} goes on in ${MAX_PARTS} files already; move them away.`)
}

/** What a file that is there says it goes on from; undefined for a journal's first. */
export function brokenOffBefore(file: string): BrokenOff | undefined {
  const found = readContinuation(file)
  if (found === undefined) return undefined
  const { from, seq, prev, time, reason } = found
  return {
    file: join(dirname(file), basename(from)),
    line: seq - 1,
    hash: prev === null ? null : parseDigest(prev),
    since: new Date(time),
    reason,
  }
}

/** It as a document. */
export function continuationDocument({ file, line, since, reason }: BrokenOff): JournalContinuationOutput {
  return { file, line, since: since.toISOString(), reason }
}
