import { readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { type Digest, parseDigest } from '#attestation'
import { isJournalHead } from '#contract/validators/journal-head'
import type { Link } from './line.ts'

/** Where the head of a journal lies: beside it. */
export function headFileOf(file: string): string {
  return `${file}.head`
}

/** Reads the head of a journal; undefined when there is none, and null when it cannot be understood. */
export function readHead(file: string): Link | undefined | null {
  let text: string
  try {
    text = readFileSync(headFileOf(file), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const value: unknown = JSON.parse(text)
    if (!isJournalHead(value)) return null
    return { seq: value.count, hash: parseDigest(value.hash) }
  } catch {
    return null
  }
}

/** The document in a head file. */
export function headDocument({ seq, hash }: Link): { readonly count: number; readonly hash: Digest } {
  return { count: seq, hash }
}

/** Puts the head in step. The journal itself must be on the disk by then: the head never names what could be lost. */
export async function writeHead(file: string, link: Link): Promise<void> {
  const scratch = `${headFileOf(file)}.${process.pid}`
  const handle = await open(scratch, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(headDocument(link))}\n`)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  await rename(scratch, headFileOf(file))
}
