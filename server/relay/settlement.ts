import { ApiError } from '../errors.ts'
import type { Outcome, Receipt, RunningGeneration, Usage } from '../metering/generation.ts'

/** What an ending decides about a generation; the timings are measured here. */
export type Ending = Omit<Outcome, 'latencyMs' | 'timeToFirstTokenMs'>

/** What the relay says to the operator. */
export interface RelayLog {
  warn(message: string, fields: { readonly generationId: string; readonly error?: unknown }): void
}

/** Nothing was consumed: the backend failed before any token (decisions, 3). */
export const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0 }

/** Settles one generation exactly once and measures its timings. */
export class Settlement {
  readonly #generation: RunningGeneration
  readonly #log: RelayLog
  #timeToFirstTokenMs: number | null = null
  #isSettled = false

  constructor(generation: RunningGeneration, log: RelayLog) {
    this.#generation = generation
    this.#log = log
  }

  /** Tells how many tokens have been delivered; the first call sets the time to the first token. */
  delivered(tokens: number): void {
    this.#timeToFirstTokenMs ??= this.#elapsedMs()
    this.#generation.progress(tokens)
  }

  /** Commits record and debit. A second call is a mistake of ours and commits nothing. */
  async settle(ending: Ending): Promise<Receipt> {
    if (this.#isSettled) throw new Error('This generation is already being settled.')
    this.#isSettled = true
    const generationId = this.#generation.id
    if (ending.status === 'ok' && ending.usageSource === 'counted') {
      this.#log.warn('a finished answer came without usage', { generationId })
    }
    const timings = { latencyMs: this.#elapsedMs(), timeToFirstTokenMs: this.#timeToFirstTokenMs }
    try {
      return await this.#generation.settle({ ...ending, ...timings })
    } catch (thrown) {
      this.#log.warn('a generation could not be settled in time', { generationId, error: thrown })
      throw thrown
    }
  }

  /** Commits an aborted generation; when the database is away that happens later, and nobody waits for it. */
  async abort(consumed: Omit<Ending, 'status'>): Promise<void> {
    await this.settle({ ...consumed, status: 'aborted' }).catch(() => undefined)
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#generation.startedAtMs)
  }
}

/** The whole answer is there but was not committed: never a clean end, and no second try, as it is metered. */
export function unsettledError(cause: unknown): ApiError {
  const headers = { 'x-should-retry': 'false' }
  return new ApiError('internal', 'The router failed to account for this answer.', { headers, cause })
}
