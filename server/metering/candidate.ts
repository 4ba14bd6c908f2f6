import type { KeyLimits } from '../limits/key-limits.ts'
import type { BucketState } from '../limits/refusal.ts'
import type { Operation, Pricing } from './generation.ts'

/** Whose request it is, for the log; whether the key may be used is another question. */
export interface Caller {
  readonly workspaceId: string
  readonly keyId: string
}

/** Told whose a request is as soon as that is known. */
export type Identify = (caller: Caller) => void

/** A request that asks to be accepted: all that its hold records, so that anybody can settle it after a crash. */
export interface Candidate {
  /** SHA-256 of the key's plaintext, in hex; see `parseAuthorization`. */
  readonly keyHash: string
  /** `gen-<ulid>`, new for each request. */
  readonly generationId: string
  /** For the log, beside the generation's id; nothing else keeps it. */
  readonly requestId: string
  readonly operation: Operation
  readonly streamed: boolean
  /** Router model id. */
  readonly model: string
  /** The serving endpoint's name. */
  readonly endpoint: string
  readonly evidenceDigest: string | null
  readonly pricing: Pricing
  /** The most that it can cost; see `holdMicros`. */
  readonly holdMicros: number
  /** At most the bound that the hold reckons with, or a counted end could cost more than was held. */
  readonly countedPromptTokens: number
  /** The prompt bound that the hold reckons with. */
  readonly promptBoundTokens: number
  /** The output cap that the hold reckons with. */
  readonly outputCapTokens: number
  /** Monotonic milliseconds (`performance.now()`) at which the request arrived. */
  readonly startedAtMs: number
  /** When the request arrived. */
  readonly createdAt: Date
  /** Told whose the key is, whatever else the database says of the request. */
  readonly identify: Identify
}

/** What admission adds to a candidate: whose it is, and the buckets that its usage is taken from. */
export interface Admitted extends KeyLimits {
  /** The tighter of its request buckets, told on every answer (LIM-32). */
  readonly rateLimit: BucketState
}
