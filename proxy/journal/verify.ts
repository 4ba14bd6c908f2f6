import { basename } from 'node:path'
import { type Digest, toHex } from '#attestation'
import { Chain, type ChainOptions, type Fault, type LeftAt, type PartExamination } from './chain.ts'
import { readHead } from './head.ts'
import type { Line } from './line.ts'
import { journalWith, partsOf } from './parts.ts'
import { readRawLines } from './read.ts'
import { brokenOffBefore } from './resume.ts'

/** What was found of a journal, all its files together. */
export interface Examination extends PartExamination {
  /** What was found of each of its files, in the order in which they follow one another. */
  readonly parts: readonly PartExamination[]
}

/** What a journal is examined for beside its chain. */
export interface ExaminationOptions {
  /** The hash of a line that must be in it. */
  readonly head?: Digest | undefined
  /** Told of each line that holds, with its bytes. */
  readonly onLine?: (line: Line, text: string) => void
}

/** Examines a journal from its first line to its head, through all the files that it goes on in. */
export async function examineJournal(file: string, options: ExaminationOptions = {}): Promise<Examination> {
  const journal = journalWith(file)
  const files = partsOf(journal)
  const links = linksBetween(files)
  const parts: PartExamination[] = []
  let isHeadFound = false
  const looked = {
    onLine: options.onLine ?? (() => {}),
    onHash: (hash: Digest) => {
      isHeadFound ||= hash === options.head
    },
  }
  for (const part of files) parts.push(await examinePart(part, { ...looked, leftAt: links.get(part) ?? [] }))
  const faults = [...missing(files, links), ...parts.flatMap((part) => part.faults)]
  if (options.head !== undefined && !isHeadFound) faults.push(unfound(journal, options.head))
  return { ...together(journal, parts), faults, parts }
}

/** What is wrong with the lines themselves: what somebody put behind them, or a file that was taken away, changes none. */
export function findDamage({ faults }: Examination): Fault | undefined {
  return faults.find(({ fault }) => fault !== 'foreign' && fault !== 'missing')
}

/** Examines one file. The head is read first: a proxy may be writing. */
export async function examinePart(
  file: string,
  options: Omit<ChainOptions, 'file' | 'named'> = { leftAt: [], onLine() {}, onHash() {} },
): Promise<PartExamination> {
  const named = readHead(file)
  const chain = new Chain({ ...options, file, named: named ?? undefined })
  for await (const raw of readRawLines(file)) chain.take(raw)
  return chain.end(named === undefined || named === null)
}

/** By file, the lines in it that others say they go on from. */
function linksBetween(files: readonly string[]): ReadonlyMap<string, readonly LeftAt[]> {
  const links = new Map<string, LeftAt[]>()
  for (const file of files) {
    const before = brokenOffBefore(file)
    if (before === undefined) continue
    const known = links.get(before.file) ?? []
    const { file: from, line: seq, hash } = before
    links.set(from, [...known, { seq, hash }])
  }
  return links
}

function missing(files: readonly string[], links: ReadonlyMap<string, readonly LeftAt[]>): Fault[] {
  return [...links.keys()]
    .filter((file) => !files.includes(file))
    .map((file) => ({
      file,
      line: null,
      fault: 'missing',
      message: `${basename(file)} is not there, and the journal goes on from it.`,
    }))
}

function unfound(file: string, head: Digest): Fault {
  const message = `No line has the hash ${toHex(head)}: the journal was cut or rewritten.`
  return { file, line: null, fault: 'head_not_found', message }
}

function together(file: string, parts: readonly PartExamination[]): PartExamination {
  const kinds: Record<string, number> = {}
  for (const part of parts)
    for (const [kind, count] of Object.entries(part.kinds)) kinds[kind] = (kinds[kind] ?? 0) + count
  const sum = (read: (part: PartExamination) => number) =>
    parts.reduce((total, part) => total + read(part), 0)
  return {
    file,
    lines: sum(({ lines }) => lines),
    head: parts.findLast(({ head }) => head !== undefined)?.head,
    unconfirmedLines: sum(({ unconfirmedLines }) => unconfirmedLines),
    tornBytes: sum(({ tornBytes }) => tornBytes),
    kinds,
    faults: [],
  }
}
