import { within } from '../store/retry.ts'
import { singleFlight } from './single-flight.ts'

/** Why a router should be given no new requests; closed, and shown to whoever asks. */
export type NotReady = 'draining' | 'lease_lapsed' | 'database_unreachable'

/** What readiness depends on. */
export interface ReadinessSources {
  readonly isDraining: () => boolean
  /** Whether this router still owns its holds. */
  readonly isLeased: () => boolean
  /** Asks the database anything. */
  readonly askDatabase: () => Promise<unknown>
}

/** How long the database may take to answer (OPS-01). */
const DATABASE_MS = 1_000

/** Creates the question whether new requests may come: no reason against it, or all of them. */
export function createReadiness(sources: ReadinessSources): () => Promise<readonly NotReady[]> {
  const isReachable = singleFlight(async () => {
    try {
      await within(sources.askDatabase(), DATABASE_MS)
      return true
    } catch {
      return false
    }
  })
  return async () => {
    const isUnreachable = !(await isReachable())
    // Asked last: what has changed while the database was waited for counts.
    const reasons: [NotReady, boolean][] = [
      ['draining', sources.isDraining()],
      ['lease_lapsed', !sources.isLeased()],
      ['database_unreachable', isUnreachable],
    ]
    return reasons.filter(([, isSo]) => isSo).map(([reason]) => reason)
  }
}
