/** Backends that are read on after their client has left. */
export interface Drains {
  /** Begins one, which ends itself in a moment; returns how to forget it, or undefined when there are too many. */
  begin(end: () => void): (() => void) | undefined
}

/** How long a backend is read on (MET-14). */
const DRAIN_MS = 1_000

/** So many at a time, ours: clients that leave by the hundred leave nothing behind that piles up (M-09). */
const MAX_DRAINS = 256

/** Counts the drains of one relay. */
export function createDrains(): Drains {
  let running = 0
  return {
    begin(end) {
      if (running >= MAX_DRAINS) return undefined
      running++
      const timer = setTimeout(end, DRAIN_MS)
      return () => {
        running--
        clearTimeout(timer)
      }
    },
  }
}
