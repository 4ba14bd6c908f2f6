import { ApiError } from '../errors.ts'
import type { Outcome, Receipt, RunningGeneration, Usage } from '../metering/generation.ts'
import type { AbortCause, Observe } from './observation.ts'

/** What an ending decides about a generation; the timings are measured here. */
export type Ending = Omit<Outcome, 'latencyMs' | 'timeToFirstTokenMs'>

/** What an ending has to tell beside what is settled. */
export interface Circumstances {
  /** Undefined when the answer came to its end. */
  readonly cause?: AbortCause
  /** Milliseconds that the call to the backend took. */
  readonly backendMs: number
}

/** What the relay says to the operator; the ids join its lines with that of the request. */
export interface RelayLog {
  warn(message: string, fields: LineFields): void
}

interface LineFields {
  readonly requestId: string
  readonly generationId: string
  readonly error?: unknown
}

/** Both ids of a generation, for a line of log. */
export function idsOf({ requestId, id: generationId }: RunningGeneration): LineFields {
  return { requestId, generationId }
}

/** Nothing was consumed: the backend failed before any token (decisions, 3). */
export const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0 }

/** Settles one generation exactly once and measures its timings. */
export class Settlement {
  readonly #generation: RunningGeneration
  readonly #log: RelayLog
  readonly #observe: Observe
  #timeToFirstTokenMs: number | null = null
  #isSettled = false

  constructor(
    generation: RunningGeneration,
    { log, observe }: { readonly log: RelayLog; readonly observe: Observe },
  ) {
    this.#generation = generation
    this.#log = log
    this.#observe = observe
  }

  /** Tells how many tokens have been delivered; the first call sets the time to the first token. */
  delivered(tokens: number): void {
    this.#timeToFirstTokenMs ??= this.#elapsedMs()
    this.#generation.progress(tokens)
  }

  /** Commits record and debit. A second call is a mistake of ours and commits nothing. */
  async settle(ending: Ending, { cause, backendMs }: Circumstances): Promise<Receipt> {
    if (this.#isSettled) throw new Error('This generation is already being settled.')
    this.#isSettled = true
    const ids = idsOf(this.#generation)
    if (ending.status === 'ok' && ending.usageSource === 'counted') {
      this.#log.warn('a finished answer came without usage', ids)
    }
    const timings = { latencyMs: this.#elapsedMs(), timeToFirstTokenMs: this.#timeToFirstTokenMs }
    const outcome = { ...ending, ...timings }
    try {
      const receipt = await this.#generation.settle(outcome)
      this.#tell(outcome, cause, backendMs)
      return receipt
    } catch (thrown) {
      this.#log.warn('a generation could not be settled in time', { ...ids, error: thrown })
      this.#tell({ ...outcome, status: 'aborted' }, cause ?? 'unsettled', backendMs)
      throw thrown
    }
  }

  /** Commits an aborted generation; when the database is away that happens later, and nobody waits for it. */
  async abort(consumed: Omit<Ending, 'status'>, circumstances: Circumstances): Promise<void> {
    await this.settle({ ...consumed, status: 'aborted' }, circumstances).catch(() => undefined)
  }

  #tell(outcome: Outcome, cause: AbortCause | undefined, backendMs: number): void {
    const { operation, model } = this.#generation
    this.#observe({ operation, model, outcome, cause, overheadMs: this.#elapsedMs() - backendMs })
  }

  #elapsedMs(): number {
    return performance.now() - this.#generation.startedAtMs
  }
}

/** An SDK's second try of what is metered already would be paid twice (decisions, 7). */
export function meteredError(error: ApiError): ApiError {
  return error.withHeaders({ 'x-should-retry': 'false' })
}

/** The whole answer is there but was not committed: never a clean end, and metered. */
export function unsettledError(cause: unknown): ApiError {
  return meteredError(new ApiError('internal', 'The router failed to account for this answer.', { cause }))
}
