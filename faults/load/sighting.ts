import type { Manner } from '../backend/manner.ts'
import type { PayerName } from '../payer.ts'

/** What its client does beside reading. */
export type Habit = 'reads' | 'slow' | 'stalls' | 'leaves'

/** What is sent; only `sound` may be accepted. */
export type Form = 'sound' | 'nonsense' | 'stranger'

/** One request, before it is sent. */
export interface Visit {
  readonly form: Form
  readonly manner: Manner
  readonly habit: Habit
  readonly streamed: boolean
  readonly payer: PayerName
}

/**
 * How an answer ended for its client. `whole`: its proper end came. `told`: an error came, in its place or within it.
 * `cut`: the connection was lost first. `left`: the client went away by itself.
 */
export type Ending = 'whole' | 'told' | 'cut' | 'left'

/** Usage and cost, as an answer names them. */
export interface SeenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: number
}

/** What a client saw of one request. */
export interface Sighting extends Visit {
  readonly nonce: string
  /** Where it was sent: a router, or the proxy. */
  readonly way: string
  /** By `performance.now()`. */
  readonly begunMs: number
  readonly endedMs: number
  /** 0 when no answer came. */
  readonly status: number
  readonly generationId: string | undefined
  readonly ending: Ending
  /** The code of the error that was told. */
  readonly code: string | undefined
  readonly usage: SeenUsage | undefined
}
