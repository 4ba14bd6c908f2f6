import type { AttestedEndpoint } from '#egress/endpoint.ts'
import type { Recorder } from '../journal/recorder.ts'
import type { Origins } from '../refuse.ts'
import type { Tally } from '../tally.ts'

/** The way from one listener to the endpoint behind it. */
export interface Route {
  readonly attested: Pick<AttestedEndpoint, 'now' | 'admit' | 'awaitAdmittance' | 'dispatch'>
  /** What the endpoint's `Host` is. */
  readonly authority: string
  /** What stands before `/v1` in the endpoint's base URL; mostly nothing. */
  readonly basePath: string
  readonly origins: Origins
  /**
   * Remembers what was answered, and changes nothing of it. The first generation under a verdict also waits for the disk,
   * some milliseconds before the end of its answer: what the verdict rests on is kept before the journal names it.
   */
  readonly recorder: Recorder
  /** Counts what happens. */
  readonly tally: Tally
  /** Told what was thrown while an answer was written; its client's connection is closed. */
  onThrown(error: unknown): void
}
