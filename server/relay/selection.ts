import type { Backend } from './backend.ts'

/** The backends that serve one model. */
export interface Selection {
  /** The backend to try next, leaving out those already tried; undefined when all have been. */
  pick(tried: ReadonlySet<Backend>): Backend | undefined
}

/**
 * Prefers backends whose circuit is closed, the least busy first and equals in turn. One whose circuit is open is
 * tried when its probe is due, and otherwise only when there is nothing better: no request is refused untried.
 */
export function createSelection(backends: readonly Backend[]): Selection {
  let turn = 0
  return {
    pick(tried) {
      const left = backends.filter((backend) => !tried.has(backend))
      const probe = left.find(({ health }) => health.state() === 'probe')
      if (probe !== undefined) {
        probe.health.probed()
        return probe
      }
      const closed = left.filter(({ health }) => health.state() === 'closed')
      return leastBusy(closed.length > 0 ? closed : left, turn++)
    },
  }
}

function leastBusy(backends: readonly Backend[], turn: number): Backend | undefined {
  const fewest = Math.min(...backends.map(({ running }) => running))
  const idlest = backends.filter(({ running }) => running === fewest)
  return idlest[turn % idlest.length]
}
