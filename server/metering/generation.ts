import type { ServerResponse } from 'node:http'
import type { KeyRates } from '../limits/key-rates.ts'
import type { BucketState } from '../limits/refusal.ts'
import type { Operation } from '../operation.ts'

/** Token counts of one generation. */
export interface Usage {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** Micro-dollars per million tokens. */
export interface Pricing {
  readonly promptMicros: number
  readonly completionMicros: number
}

/** What serves a generation, and how much it can use there. */
export interface ServedBy {
  /** Router model id. */
  readonly model: string
  /** The serving endpoint's name. */
  readonly endpoint: string
  /** Wire form, as published for the endpoint at admission; null if none was. */
  readonly evidenceDigest: string | null
  readonly pricing: Pricing
  /** The router's own count of the prompt, within the hold's bound; used when the backend's is not known (MET-10). */
  readonly countedPromptTokens: number
  /** Most prompt tokens that the hold reckons with; nothing beyond them is billed. */
  readonly promptBoundTokens: number
  /** Most completion tokens that the hold reckons with; nothing beyond them is billed. */
  readonly outputCapTokens: number
}

/** What a request would become if it were accepted: all that its hold records, so that anybody can settle it. */
export interface AskedGeneration extends ServedBy {
  /** `gen-<ulid>`, new for each request. */
  readonly id: string
  /** For the log, beside its own id; nothing else keeps it. */
  readonly requestId: string
  readonly operation: Operation
  readonly streamed: boolean
  /** Monotonic milliseconds (`performance.now()`) at which the request arrived. */
  readonly startedAtMs: number
  /** When the request arrived. */
  readonly createdAt: Date
}

/** What is fixed about a generation once it is accepted, that is, once its hold is placed. */
export interface AcceptedGeneration extends AskedGeneration {
  /** Whose it is, and whose buckets its usage is taken from. */
  readonly key: KeyRates
  /** The tighter of the request buckets that admitted it, told on every answer (LIM-32). */
  readonly rateLimit: BucketState
}

/** Whose count a record shows (MET-11). */
export type UsageSource = 'backend' | 'counted' | 'bounded'

/** How a generation ended. */
export interface GenerationEnd {
  readonly status: 'ok' | 'aborted'
  /** The backend's, or null when it gave none. */
  readonly finishReason: string | null
  readonly usage: Usage
  /** Whose count `usage` is; `bounded`: the backend's, cut to what the request could use. */
  readonly usageSource: UsageSource
  readonly latencyMs: number
  readonly timeToFirstTokenMs: number | null
}

/** What settling one generation wrote. */
export interface Receipt {
  readonly costMicros: number
  readonly ledgerId: string
}

/**
 * One running generation as the relay sees it. `settle` is called exactly once, whatever ends the request.
 */
export interface RunningGeneration extends AcceptedGeneration {
  /** Tokens delivered so far; written to the hold every 5 s, so that a crash loses little. */
  progress(completionTokens: number): void
  /**
   * Has another model serve it, whose cost its hold covers: the hold names that one when this resolves, and what is then
   * settled is its generation.
   * Throws when the hold is gone or the database away.
   */
  serveBy(served: ServedBy): Promise<RunningGeneration>
  /**
   * Commits record, debit and the end of the hold in one transaction.
   * Throws `SettlementError` when the database is away for 5 s (the generation is then settled as aborted
   * in the background with the same usage) or when the hold was reaped meanwhile.
   */
  settle(end: GenerationEnd): Promise<Receipt>
}

/** The answer's socket side; a plain Node response so that nothing stands between backend and client. */
export type ClientResponse = ServerResponse
