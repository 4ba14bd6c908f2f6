import { ApiError } from '../errors.ts'
import { type Billed, billable } from '../metering/billable.ts'
import type { GenerationEnd, Receipt, RunningGeneration, Usage } from '../metering/generation.ts'
import { costMicros } from '../metering/price.ts'
import { attributes, PROVIDER, spanAttributes } from '../names.ts'
import { operations } from '../operation.ts'
import type { RequestTrace } from '../tracing/request-trace.ts'
import type { Destination } from './backend.ts'
import type { AbortCause, Comparison, Observe } from './observation.ts'
import type { RelayTask } from './task.ts'
import type { Settled } from './usage.ts'

/** What a generation has used, by either count; the timings are measured here. */
export interface Consumed extends Pick<GenerationEnd, 'finishReason'> {
  /** What the backend says of all that was delivered; undefined when it says nothing of use. */
  readonly reported: Usage | undefined
  /** The router's own count of the same. */
  readonly counted: Usage
}

/** What is told of a call beside what is settled. */
export interface CallFacts {
  /** Undefined when the answer came to its end. */
  readonly cause?: AbortCause
  /** Milliseconds that the call to the backend took. */
  readonly backendMs: number
  /** What answered, or was asked last. */
  readonly destination: Destination | undefined
}

/** What the relay says to the operator; the ids join its lines with that of the request. */
export interface RelayLog {
  warn(message: string, fields: LineFields): void
}

interface LineFields {
  readonly requestId: string
  readonly generationId: string
  readonly error?: unknown
  /** Router model id. */
  readonly model?: string
  /** Address of a backend. */
  readonly backend?: string
  /** Tokens as a backend told them. */
  readonly reported?: Usage | undefined
}

/** Both ids of a generation, for a line of log. */
export function idsOf({ requestId, id: generationId }: RunningGeneration): LineFields {
  return { requestId, generationId }
}

/** A backend that reports less than one part in so many of what was counted should be looked at. */
const LEAST_SHARE = 2

/** Nothing was consumed: the backend failed before any token (GEN-18). */
export const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0 }

/** Settles one generation exactly once and measures its timings. */
export class Settler {
  readonly #generation: RunningGeneration
  readonly #spans: RelayTask['spans']
  readonly #log: RelayLog
  readonly #observe: Observe
  #timeToFirstTokenMs: number | null = null
  #isSettled = false

  constructor(
    { generation, spans }: Pick<RelayTask, 'generation' | 'spans'>,
    { log, observe }: { readonly log: RelayLog; readonly observe: Observe },
  ) {
    this.#generation = generation
    this.#spans = spans
    this.#log = log
    this.#observe = observe
  }

  /** Tells how many tokens have been delivered; the first call sets the time to the first token. */
  delivered(tokens: number): void {
    if (this.#timeToFirstTokenMs === null) {
      this.#timeToFirstTokenMs = this.#elapsedMs()
      this.#spans?.firstToken()
    }
    this.#generation.progress(tokens)
  }

  /** Commits record and debit of an answer that is whole, before its end is seen (CRED-32). */
  settle(consumed: Consumed, facts: CallFacts): Promise<Settled> {
    return this.#commit('ok', consumed, facts)
  }

  /** Commits an aborted generation; when the database is away that happens later, and nobody waits for it. */
  async abort(consumed: Consumed, facts: CallFacts): Promise<void> {
    await this.#commit('aborted', consumed, facts).catch(() => undefined)
  }

  /** A second call is a mistake of ours and commits nothing. */
  async #commit(status: GenerationEnd['status'], consumed: Consumed, facts: CallFacts): Promise<Settled> {
    if (this.#isSettled) throw new Error('This generation is already being settled.')
    this.#isSettled = true
    const { finishReason, reported, counted } = consumed
    const billed = billable(this.#generation, reported, counted)
    const ids = idsOf(this.#generation)
    if (status === 'ok' && billed.usageSource === 'counted') {
      this.#log.warn('a finished answer came without usage', ids)
    }
    const comparison = this.#compare(consumed, billed, facts.destination)
    if (comparison?.finding === 'bounded') {
      const backend = facts.destination!.config.url
      this.#log.warn('a backend reported more tokens than the request could use', {
        ...ids,
        backend,
        reported,
      })
    }
    const timings = { latencyMs: this.#elapsedMs(), timeToFirstTokenMs: this.#timeToFirstTokenMs }
    const end = { status, finishReason, ...billed, ...timings }
    try {
      const receipt = await (this.#spans
        ? this.#settleTraced(end, this.#spans)
        : this.#generation.settle(end))
      this.#tell(end, facts, comparison)
      return { ...billed, receipt }
    } catch (thrown) {
      this.#log.warn('a generation could not be settled in time', { ...ids, error: thrown })
      const cause = facts.cause ?? 'unsettled'
      this.#tell(this.#withheld(end), { ...facts, cause }, comparison)
      throw thrown
    }
  }

  #settleTraced(end: GenerationEnd, spans: RequestTrace): Promise<Receipt> {
    const { operation, model } = this.#generation
    return spans.step('router.settlement', () => this.#generation.settle(end), {
      [attributes.operation]: operations[operation].convention,
      [attributes.provider]: PROVIDER,
      [spanAttributes.servedModel]: model,
      [spanAttributes.generation]: this.#generation.id,
      [spanAttributes.inputTokens]: end.usage.promptTokens,
      [spanAttributes.outputTokens]: end.usage.completionTokens,
      [spanAttributes.usageSource]: end.usageSource,
    })
  }

  /** What the books will say of an answer that could not be settled in time. */
  #withheld(end: GenerationEnd): GenerationEnd {
    const { promptTokens } = end.usage
    const usage = this.#timeToFirstTokenMs === null ? { promptTokens, completionTokens: 0 } : end.usage
    return { ...end, status: 'aborted', usage }
  }

  #compare(
    { reported, counted }: Consumed,
    { usage, usageSource }: Billed,
    destination: Destination | undefined,
  ): Comparison | undefined {
    if (reported === undefined || usageSource === 'counted' || destination === undefined) return undefined
    const isLow = tokensOf(usage) * LEAST_SHARE < tokensOf(counted)
    const { pricing } = this.#generation
    return {
      backend: destination.name,
      countedMicros: costMicros(counted, pricing),
      reportedMicros: costMicros(usage, pricing),
      finding: usageSource === 'bounded' ? 'bounded' : isLow ? 'low' : undefined,
    }
  }

  #tell(end: GenerationEnd, { cause, backendMs }: CallFacts, comparison: Comparison | undefined): void {
    const { operation, model } = this.#generation
    const overheadMs = this.#elapsedMs() - backendMs
    this.#observe({ operation, model, end, cause, overheadMs, comparison })
  }

  #elapsedMs(): number {
    return performance.now() - this.#generation.startedAtMs
  }
}

function tokensOf({ promptTokens, completionTokens }: Usage): number {
  return promptTokens + completionTokens
}

/** An SDK's second try of what is metered already would be paid twice (ERR-42). */
export function meteredError(error: ApiError): ApiError {
  return error.withHeaders({ 'x-should-retry': 'false' })
}

/** The whole answer is there but was not committed: never a clean end, and metered. */
export function unsettledError(cause: unknown): ApiError {
  return meteredError(new ApiError('internal', 'The router failed to account for this answer.', { cause }))
}
