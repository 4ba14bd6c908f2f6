import type { ApiError } from '../errors.ts'
import type { ClientResponse, RunningGeneration, ServedBy } from '../metering/generation.ts'
import type { RequestTrace } from '../tracing/request-trace.ts'
import type { Destination } from './backend.ts'
import type { PromptCount } from './count-usage.ts'
import type { KeptBody } from './kept-body.ts'

/** Milliseconds; each timer is separate and there is no total limit (RLAY-06). */
export interface RelayTimers {
  readonly connectMs: number
  readonly firstByteMs: number
  readonly idleMs: number
  readonly pingMs: number
  readonly stalledClientMs: number
}

/** One accepted request on its way to a backend. */
export interface RelayTask {
  readonly generation: RunningGeneration
  /** Path at the backend, below its base URL: `/chat/completions`. */
  readonly path: string
  /**
   * The client's bytes. The relay splices `model` and `stream_options` in as the chosen backend wants them, and lets
   * go of them as soon as the backend answers.
   */
  readonly body: KeptBody
  /** Members that the router adds to the body, as JSON text by name. */
  readonly additions?: Readonly<Record<string, string>>
  /** The prompt's tokens by a backend's tokenizer, where one was asked. */
  readonly promptCount?: PromptCount
  /** Whether the client asked for the final usage-only chunk. */
  readonly includeUsage: boolean
  readonly response: ClientResponse
  /** What every answer to this request carries beside what stands on `response`: its ids, CORS, rate limits. */
  readonly headers?: Readonly<Record<string, string>>
  /** Ends the answer from outside when the router stops; its reason is the error that the client is told. */
  readonly signal?: AbortSignal
  /** Other models that may serve it, in this order, where no backend of its own can. */
  readonly fallbacks?: readonly PrepareFallback[]
  /** The one way that it may go, under a verdict whose end ends the answer; without it, the model's backends serve. */
  readonly passage?: OnlyWay
  /** What it spends its time on, where the router traces it. */
  readonly spans?: RequestTrace
}

/** A destination for one request, under a verdict. */
export interface OnlyWay extends Destination {
  /** Aborted when the verdict ends. */
  readonly signal: AbortSignal
  /** What the client is told then. */
  withdrawalError(isSent: boolean): ApiError
  /** Called when the request is given up before a byte of it was sent: it may be waiting. */
  abandon(): void
}

/** Another model that serves a request in place of the one that it named, ready to be asked. */
export interface Fallback extends Pick<RelayTask, 'additions' | 'passage'> {
  readonly served: ServedBy
}

/** Makes a fallback ready; undefined when it may not, or cannot, serve this request now. */
export type PrepareFallback = () => Promise<Fallback | undefined>
