/** What connecting to a backend has come to lately. */
export interface Health {
  /** A connection carried a request. */
  connected(): void
  /** No connection came about. */
  failed(): void
  /** `closed`: use it. `open`: avoid it. `probe`: one call may find out whether it is back. */
  state(): 'closed' | 'open' | 'probe'
  /** The one call that finds out is on its way. */
  probed(): void
}

/** Consecutive failures that open the circuit (ours). */
const FAILURES_TO_OPEN = 3

/** Milliseconds to the first probe; doubled at each failure up to the second (ours). */
const FIRST_PROBE_MS = 1_000
const LAST_PROBE_MS = 30_000

/** Creates the passive health of one backend: it only ever learns from calls that were wanted anyway. */
export function createHealth(now: () => number): Health {
  let failures = 0
  let probeAtMs = 0

  function postpone(): void {
    const doublings = Math.max(0, failures - FAILURES_TO_OPEN)
    probeAtMs = now() + Math.min(LAST_PROBE_MS, FIRST_PROBE_MS * 2 ** doublings)
  }

  return {
    connected() {
      failures = 0
    },
    failed() {
      failures++
      postpone()
    },
    state() {
      if (failures < FAILURES_TO_OPEN) return 'closed'
      return now() >= probeAtMs ? 'probe' : 'open'
    },
    probed: postpone,
  }
}
