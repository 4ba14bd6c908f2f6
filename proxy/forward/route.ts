import type { Pools } from '#egress/connection/pools.ts'
import type { Attestor } from '#egress/verdict/attestor.ts'
import type { Admitted } from '#egress/verdict/verdict.ts'
import type { Tally } from '../admin/tally.ts'
import type { Recorder } from '../journal/recorder.ts'
import type { Origins } from '../listener/refuse.ts'

/** The way from one listener to the endpoint behind it. */
export interface Route {
  readonly attestor: Attestor
  readonly pools: Pools
  /** What the endpoint's `Host` is. */
  readonly authority: string
  /** What stands before `/v1` in the endpoint's base URL; mostly nothing. */
  readonly basePath: string
  readonly origins: Origins
  /** Remembers what was answered; it changes and delays nothing. */
  readonly recorder: Recorder
  /** Counts what happens. */
  readonly tally: Tally
  /** Told when a connection showed another certificate than the verdict names. */
  onRefusedLeaf(verdict: Admitted): void
  /** Told what was thrown while an answer was written; its client's connection is closed. */
  onThrown(error: unknown): void
}
