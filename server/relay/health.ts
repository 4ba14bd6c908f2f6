/** What calls to a backend have come to lately. */
export interface Health {
  /** A connection carried a request. */
  connected(): void
  /** No connection came about. */
  failed(): void
  /** It answered with something else than that it cannot serve now. */
  answered(): void
  /** It said that it cannot serve now, and for how many seconds, if it told. */
  refused(retryAfterSeconds?: number): void
  /** `closed`: use it. `open`: avoid it. `probe`: one call may find out whether it is back. */
  state(): 'closed' | 'open' | 'probe'
  /** The one call that finds out is on its way. */
  probed(): void
}

/** Consecutive connections that failed and open the circuit (ours); a refusal opens it at once. */
const FAILURES_TO_OPEN = 3

/** Milliseconds to the first probe; doubled at each failure up to the second (ours). */
const FIRST_PROBE_MS = 1_000
const LAST_PROBE_MS = 30_000

/** What opened a circuit, and so what may close it: a connection that comes about says nothing of the server behind it. */
type Reason = 'unreachable' | 'refused'

/** Creates the passive health of one backend: it only ever learns from calls that were wanted anyway (RLAY-10). */
export function createHealth(now: () => number): Health {
  let connectFailures = 0
  let openings = 0
  let opened: Reason | undefined
  let probeAtMs = 0
  let isProbing = false

  function restMs(): number {
    return Math.min(LAST_PROBE_MS, FIRST_PROBE_MS * 2 ** Math.max(0, openings - 1))
  }

  /** Many calls that were under way together fail together: all of them are one reason to rest, a probe is another. */
  function open(reason: Reason, atLeastMs = 0): void {
    if (opened === undefined || isProbing) {
      openings++
      probeAtMs = now() + restMs()
    }
    opened = reason
    isProbing = false
    probeAtMs = Math.max(probeAtMs, now() + atLeastMs)
  }

  function close(): void {
    opened = undefined
    openings = 0
    isProbing = false
  }

  return {
    connected() {
      connectFailures = 0
      if (opened === 'unreachable') close()
    },
    failed() {
      connectFailures++
      if (connectFailures >= FAILURES_TO_OPEN || opened !== undefined) open('unreachable')
    },
    answered: close,
    refused(retryAfterSeconds = 0) {
      open('refused', retryAfterSeconds * 1_000)
    },
    state() {
      if (opened === undefined) return 'closed'
      return now() >= probeAtMs ? 'probe' : 'open'
    },
    probed() {
      isProbing = true
      probeAtMs = now() + restMs()
    },
  }
}
