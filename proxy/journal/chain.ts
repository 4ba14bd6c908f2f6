import { basename } from 'node:path'
import type { Digest } from '#attestation'
import type { components } from '#contract/types'
import { hashOf, type Line, type Link, parseLine } from './line.ts'
import type { RawLine } from './read.ts'

type FaultKind = components['schemas']['JournalFaultKind']

/** Something that is wrong with a journal. */
export interface Fault {
  /** The file that it is about. */
  readonly file: string
  /** Number of the line, from 1; null when it is about the whole. */
  readonly line: number | null
  readonly fault: FaultKind
  readonly message: string
}

/** What was found of one file of a journal. */
export interface PartExamination {
  readonly file: string
  /** How many lines hold, from its first. */
  readonly lines: number
  /** The last line that holds. */
  readonly head: Link | undefined
  /** How many of them the head file does not name yet. */
  readonly unconfirmedLines: number
  readonly tornBytes: number
  readonly kinds: Readonly<Record<string, number>>
  readonly faults: readonly Fault[]
}

/** A line that another file goes on from; number 0 and no hash when the proxy had written none. */
export interface LeftAt {
  readonly seq: number
  readonly hash: Digest | null
}

/** What a file's lines are held against. */
export interface ChainOptions {
  readonly file: string
  /** The line that the head file names. */
  readonly named: Link | undefined
  /** Lines that other files go on from. What stands behind the last of them is not the proxy's own. */
  readonly leftAt: readonly LeftAt[]
  /** Told of each line that holds. */
  readonly onLine: (line: Line, text: string) => void
  /** Told the hash of each line, whether or not it holds. */
  readonly onHash: (hash: Digest) => void
}

/** Most faults that are told of one file (ours). */
const MAX_FAULTS = 100

/** Walks the lines of one file and names what does not fit. */
export class Chain {
  readonly #options: ChainOptions
  readonly #faults: Fault[] = []
  readonly #kinds: Record<string, number> = {}
  /** Number of the line before the first; a file that goes on from another counts on. */
  #beforeFirst = 0
  #last: Link | undefined
  #holding: Link | undefined
  #isBegun = false
  /** The line that has just been read: whether it is the one that was written, the next tells. */
  #unlinked: { readonly line: Line; readonly text: string; readonly link: Link } | undefined
  #tornBytes = 0
  /** Number of the line behind which nothing is the proxy's own, and whether something stands there. */
  readonly #end: number
  #isForeign = false

  constructor(options: ChainOptions) {
    this.#options = options
    const { leftAt } = options
    this.#end = leftAt.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...leftAt.map(({ seq }) => seq))
  }

  take({ position, bytes, isTorn, isTooLong }: RawLine): void {
    if ((this.#last?.seq ?? 0) >= this.#end) {
      this.#isForeign = true
      return
    }
    if (isTorn) {
      this.#tornBytes = bytes.length
      return
    }
    const text = bytes.toString('utf8')
    const line = isTooLong ? undefined : parseLine(text)
    const hash = hashOf(bytes)
    const isFirst = !this.#isBegun
    this.#isBegun = true
    if (line === undefined || (line.kind === 'continuation' && !isFirst)) {
      const at = this.#beforeFirst + position
      this.#report(at, 'malformed', `Line ${at} is not a line of a journal.`)
      this.#last = { seq: (this.#last?.seq ?? 0) + 1, hash }
      return
    }
    this.#options.onHash(hash)
    if (line.kind === 'continuation') this.#goOnFrom(line)
    this.#place(line)
    this.#hold()
    this.#last = { seq: line.seq, hash }
    for (const known of [this.#options.named, ...this.#options.leftAt]) {
      if (known?.seq !== line.seq || known.hash === hash) continue
      this.#report(line.seq, 'changed', `Line ${line.seq} is not the one that ${this.#whoKnows(known)}.`)
    }
    this.#unlinked = this.#faults.length > 0 ? undefined : { line, text, link: this.#last }
  }

  end(isHeadless: boolean): PartExamination {
    this.#hold()
    const { file, named, leftAt } = this.#options
    const lastSeq = this.#last?.seq ?? this.#beforeFirst
    if (isHeadless && lastSeq - this.#beforeFirst > 1) {
      const message = 'The head file is missing or unreadable: nothing tells where the journal ended.'
      this.#report(null, 'no_head', message)
    }
    const noted = Math.min(named?.seq ?? 0, this.#end)
    const due = Math.max(noted, ...leftAt.map(({ seq }) => seq))
    if (due > lastSeq) {
      const lost = due - lastSeq
      const end = noted === due ? 'its head' : 'where another file goes on from it'
      this.#report(
        lastSeq + 1,
        'truncated',
        `The journal ends ${lost} line${lost === 1 ? '' : 's'} before ${end}.`,
      )
    }
    if (this.#isForeign) {
      const message = `What stands behind line ${this.#end} of ${basename(file)} is not the proxy's own.`
      this.#report(this.#end + 1, 'foreign', message)
    }
    return {
      file,
      lines: (this.#holding?.seq ?? this.#beforeFirst) - this.#beforeFirst,
      head: this.#holding,
      unconfirmedLines: Math.max(0, (this.#holding?.seq ?? 0) - (named?.seq ?? this.#beforeFirst)),
      tornBytes: this.#tornBytes,
      kinds: this.#kinds,
      faults: this.#faults,
    }
  }

  /** A file that goes on from another begins behind that one's last line; the link is looked at over there. */
  #goOnFrom({ seq, prev }: Line): void {
    this.#beforeFirst = seq - 1
    this.#last = prev === null ? undefined : { seq: seq - 1, hash: prev as Digest }
  }

  #whoKnows(link: LeftAt): string {
    return link === this.#options.named ? 'the head names' : 'another file goes on from'
  }

  /** Counts the line before, unless the link to it has just told that it was changed. */
  #hold(): void {
    if (this.#unlinked === undefined) return
    const { line, text, link } = this.#unlinked
    this.#unlinked = undefined
    if (this.#faults.some((found) => found.fault === 'changed' && found.line === link.seq)) return
    this.#holding = link
    this.#kinds[line.kind] = (this.#kinds[line.kind] ?? 0) + 1
    this.#options.onLine(line, text)
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
    const { file } = this.#options
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ file, line, fault, message })
  }
}
