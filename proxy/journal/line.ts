import { type Digest, digestOf } from '#attestation'
import { isoTime } from '#base/iso.ts'
import type { components } from '#contract/types'
import { isJournalLine } from '#contract/validators/journal-line'

type Schemas = components['schemas']

/** One line as it stands in the file; its schema is spec/documents/journal.tsp. */
export type Line = Schemas['JournalLine']

/** A line of one kind. */
export type LineOf<Kind extends Line['kind']> = Extract<Line, { kind: Kind }>

/** What a line says, before it has its place in the chain and its time. */
export type Entry = { [K in Line['kind']]: Omit<LineOf<K>, 'seq' | 'prev' | 'time'> }[Line['kind']]

/** A place in the chain: the number of a line, and its hash. */
export interface Link {
  readonly seq: number
  readonly hash: Digest
}

/** Longest line that is read (ours): what is written is far shorter. */
export const MAX_LINE_BYTES = 16_384

/** What a journal begins with. */
export const GENESIS: Entry = { kind: 'genesis', format: 'proxy-journal', version: 1 }

/** Writes an entry behind a link; the text has no line end. */
export function writeLine(
  entry: Entry,
  time: Date,
  before: Link | undefined,
): { readonly text: string; readonly link: Link } {
  const seq = (before?.seq ?? 0) + 1
  const prev = before === undefined ? 'null' : `"${before.hash}"`
  // JSON would escape nothing of these three: a copy of the entry with them takes as long as the rest.
  const text = `{"seq":${seq},"prev":${prev},"time":"${isoTime(time.getTime())}",${JSON.stringify(entry).slice(1)}`
  return { text, link: { seq, hash: hashOf(text) } }
}

/** The hash of a line: the SHA-256 of its bytes without the line end. */
export function hashOf(text: string | Uint8Array): Digest {
  return digestOf(text)
}

/** Reads a line; undefined for whatever is not of the form of one. */
export function parseLine(text: string): Line | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return isJournalLine(value) ? (value as Line) : undefined
}
