import type { ErrorCode } from '#contract/errors'
import type { Entry, LineOf } from './line.ts'

/** What a denied request was told. */
export type DenialCode = Extract<ErrorCode, 'attestation_failed' | 'attestation_revoked'>

/** Appends entries to the journal; never throws, and no caller waits for the disk. */
export interface Journal {
  append(entry: Entry): void
}

/** A denial without its count. */
export type Denial = Omit<LineOf<'denial'>, 'seq' | 'prev' | 'time' | 'kind' | 'count'>

/** How long denials that are alike are counted before they are told again (ours). */
const TOGETHER_MS = 60_000

/** Most kinds of denial that are counted apart (ours); a proxy has a few endpoints, and each is denied for one reason. */
const MAX_KINDS = 256

/**
 * Tells denials without letting a client that tries again and again fill the disk: the first at once, and those like it
 * once a minute, counted.
 */
export class Denials {
  readonly #journal: Journal
  readonly #counts = new Map<string, { readonly denial: Denial; count: number }>()
  #timer: NodeJS.Timeout | undefined

  constructor(journal: Journal) {
    this.#journal = journal
  }

  add(denial: Denial): void {
    const key = JSON.stringify(denial)
    const known = this.#counts.get(key)
    if (known !== undefined) {
      known.count += 1
      return
    }
    this.#tell(denial, 1)
    if (this.#counts.size < MAX_KINDS) this.#counts.set(key, { denial, count: 0 })
    this.#timer ??= setTimeout(() => this.flush(), TOGETHER_MS).unref()
  }

  /** Tells what has been counted so far. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const { denial, count } of this.#counts.values()) if (count > 0) this.#tell(denial, count)
    this.#counts.clear()
  }

  #tell({ endpoint, code, stage, reason }: Denial, count: number): void {
    this.#journal.append({ kind: 'denial', endpoint, code, stage, reason, count })
  }
}
