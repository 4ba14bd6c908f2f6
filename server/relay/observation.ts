import type { ErrorCode } from '#contract/errors'
import type { GenerationEnd } from '../metering/generation.ts'
import type { Operation } from '../operation.ts'
import type { HopEnd } from './hop-end.ts'

/** Why a generation did not come to its end; closed, so that it may label a metric. */
export type AbortCause =
  | ErrorCode
  /** It closed its connection. */
  | 'client_left'
  /** It read nothing for too long and was dropped. */
  | 'client_stalled'
  /** The router stopped. */
  | 'shutdown'
  /** The answer was whole, but the database did not take it in time. */
  | 'unsettled'

/** What the relay tells of each generation once it is settled, or could not be: figures and no content. */
export interface Observation {
  readonly operation: Operation
  /** Router model id. */
  readonly model: string
  readonly end: GenerationEnd
  /** Undefined when it came to its end. */
  readonly cause: AbortCause | undefined
  /** Its time inside the router: all but what was spent on the call to the backend. */
  readonly overheadMs: number
  /** Both measures of one generation, where the backend told its own. */
  readonly comparison?: Comparison | undefined
}

/** What a generation would have cost by each count, in micro-dollars, and whose count the reported one is. */
export interface Comparison {
  /** The backend, as metrics call it. */
  readonly backend: string
  readonly countedMicros: number
  readonly reportedMicros: number
  /** `bounded`: beyond what the request could use. `low`: below half of what was counted. */
  readonly finding: 'bounded' | 'low' | undefined
}

/** The cause of an end that is none of the answer's own. */
export function causeOf(end: Exclude<HopEnd, { readonly kind: 'done' }>): AbortCause {
  if (end.kind === 'gone') return end.isStalled ? 'client_stalled' : 'client_left'
  const { code } = end.error
  // A withdrawn verdict ends an answer under its own name; all else that the router ends is its own end.
  return end.kind === 'stopped' && code === 'internal' ? 'shutdown' : code
}

/** Told of each generation, once; must be quick and never throw. */
export type Observe = (observation: Observation) => void
