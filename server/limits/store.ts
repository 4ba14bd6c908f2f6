import type { Awaitable } from '../awaitable.ts'

/** What is to happen to one bucket. */
export interface Change {
  /** The key or the workspace whose bucket it is, by its id. */
  readonly owner: string
  /** The workspace, of a key as well. */
  readonly workspaceId: string
  readonly counts: 'requests' | 'tokens'
  /** What a minute allows now; a bucket that nobody has changed holds as much. */
  readonly perMinute: number
  /** Units without which the bucket refuses; undefined: it is not asked. */
  readonly least: number | undefined
  /** Units that it gains, or loses when below zero. It never holds more than a minute allows. */
  readonly units: number
}

/** What became of a list of changes. */
export interface Changed {
  /** The clock by which the buckets were refilled. */
  readonly nowMs: number
  /** Place of the first bucket that refused, and then nothing was changed; -1 when none did. */
  readonly refusedAt: number
  /** What each bucket holds now, in units. */
  readonly levels: readonly number[]
}

/** Where buckets are kept. */
export interface BucketStore {
  /** Asks the buckets in their order and changes them all, or none, in one atomic step. */
  apply(changes: readonly Change[]): Awaitable<Changed>
}
