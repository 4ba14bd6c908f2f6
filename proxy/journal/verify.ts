import { type Digest, toHex } from '#attestation'
import type { components } from '#contract'
import { readHead } from './head.ts'
import { hashOf, type Line, type Link, parseLine } from './line.ts'
import { type RawLine, readRawLines } from './read.ts'

type FaultKind = components['schemas']['JournalFaultKind']

/** Something that is wrong with a journal. */
export interface Fault {
  /** Number of the line, from 1; null when it is about the whole. */
  readonly line: number | null
  readonly fault: FaultKind
  readonly message: string
}

/** What was found of a journal. */
export interface Examination {
  /** How many lines hold, from the first. */
  readonly lines: number
  /** The last line that holds. */
  readonly head: Link | undefined
  /** How many of them the head file does not name yet. */
  readonly unconfirmedLines: number
  readonly tornBytes: number
  readonly kinds: Readonly<Record<string, number>>
  readonly faults: readonly Fault[]
}

/** What a journal is examined for beside its chain. */
export interface ExaminationOptions {
  /** The hash of a line that must be in it. */
  readonly head?: Digest | undefined
  /** Told of each line that holds, with its bytes. */
  readonly onLine?: (line: Line, text: string) => void
}

/** Most faults that are told (ours). */
const MAX_FAULTS = 100

/** Examines a journal from its first line to its head. The head is read first: a proxy may be writing. */
export async function examineJournal(file: string, options: ExaminationOptions = {}): Promise<Examination> {
  const named = readHead(file)
  const chain = new Chain(named ?? undefined, options)
  for await (const raw of readRawLines(file)) chain.take(raw)
  return chain.end(named === undefined || named === null)
}

/** Walks the chain and names what does not fit. */
class Chain {
  readonly #named: Link | undefined
  readonly #options: ExaminationOptions
  readonly #faults: Fault[] = []
  readonly #kinds: Record<string, number> = {}
  #last: Link | undefined
  #holding: Link | undefined
  /** The line that has just been read: whether it is the one that was written, the next tells. */
  #unlinked: { readonly line: Line; readonly text: string; readonly link: Link } | undefined
  #tornBytes = 0
  #isHeadFound = false

  constructor(named: Link | undefined, options: ExaminationOptions) {
    this.#named = named
    this.#options = options
  }

  take({ position, bytes, isTorn, isTooLong }: RawLine): void {
    if (isTorn) {
      this.#tornBytes = bytes.length
      return
    }
    const text = bytes.toString('utf8')
    const line = isTooLong ? undefined : parseLine(text)
    const hash = hashOf(bytes)
    if (line === undefined) {
      this.#report(position, 'malformed', `Line ${position} is not a line of a journal.`)
      this.#last = { seq: (this.#last?.seq ?? 0) + 1, hash }
      return
    }
    this.#place(line)
    this.#hold()
    this.#last = { seq: line.seq, hash }
    if (hash === this.#options.head) this.#isHeadFound = true
    if (this.#named?.seq === line.seq && this.#named.hash !== hash) {
      this.#report(line.seq, 'changed', `Line ${line.seq} is not the one that the head names.`)
    }
    this.#unlinked = this.#faults.length > 0 ? undefined : { line, text, link: this.#last }
  }

  end(isHeadless: boolean): Examination {
    this.#hold()
    const lastSeq = this.#last?.seq ?? 0
    const { head } = this.#options
    if (isHeadless && lastSeq > 1) {
      this.#report(
        null,
        'no_head',
        'The head file is missing or unreadable: nothing tells where the journal ended.',
      )
    }
    if (this.#named !== undefined && this.#named.seq > lastSeq) {
      const lost = this.#named.seq - lastSeq
      this.#report(
        lastSeq + 1,
        'truncated',
        `The journal ends ${lost} line${lost === 1 ? '' : 's'} before its head.`,
      )
    }
    if (head !== undefined && !this.#isHeadFound) {
      this.#report(
        null,
        'head_not_found',
        `No line has the hash ${toHex(head)}: the journal was cut or rewritten.`,
      )
    }
    return {
      lines: this.#holding?.seq ?? 0,
      head: this.#holding,
      unconfirmedLines: Math.max(0, (this.#holding?.seq ?? 0) - (this.#named?.seq ?? 0)),
      tornBytes: this.#tornBytes,
      kinds: this.#kinds,
      faults: this.#faults,
    }
  }

  /** Counts the line before, unless the link to it has just told that it was changed. */
  #hold(): void {
    if (this.#unlinked === undefined) return
    const { line, text, link } = this.#unlinked
    this.#unlinked = undefined
    if (this.#faults.some((found) => found.fault === 'changed' && found.line === link.seq)) return
    this.#holding = link
    this.#kinds[line.kind] = (this.#kinds[line.kind] ?? 0) + 1
    this.#options.onLine?.(line, text)
  }

  /** Compares a line with the one before it; the numbers tell what was done, the hashes that it was done. */
  #place({ seq, prev }: Line): void {
    const due = (this.#last?.seq ?? 0) + 1
    if (seq > due) {
      const what = seq === due + 1 ? `Line ${due} is` : `Lines ${due} to ${seq - 1} are`
      this.#report(due, 'removed', `${what} missing.`)
    } else if (seq < due) {
      this.#report(seq, 'out_of_order', `Line ${seq} stands where line ${due} should.`)
    } else if (prev !== (this.#last?.hash ?? null)) {
      this.#report(seq - 1, 'changed', `Line ${seq - 1} is not the one that line ${seq} was written after.`)
    }
  }

  #report(line: number | null, fault: FaultKind, message: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ line, fault, message })
  }
}
