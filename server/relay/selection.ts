import type { Backend } from './backend.ts'

/** The backends that serve one model. */
export interface Selection {
  /** The backend to try next, leaving out those already tried; undefined when all have been. */
  pick(tried: ReadonlySet<Backend>): Backend | undefined
  /** The same, but none that is to be left alone: for a request that one backend has refused already. */
  pickRested(tried: ReadonlySet<Backend>): Backend | undefined
}

/**
 * Prefers backends whose circuit is closed, the least busy for its weight first and equals in turn. One whose circuit
 * is open is tried when its probe is due, and otherwise only when there is nothing better: no request is refused untried.
 */
export function createSelection(backends: readonly Backend[]): Selection {
  const turns = new Map(backends.map((backend) => [backend, 0]))

  function pickRested(tried: ReadonlySet<Backend>): Backend | undefined {
    const left = backends.filter((backend) => !tried.has(backend))
    const probe = left.find(({ health }) => health.state() === 'probe')
    if (probe === undefined) return leastBusy(left.filter(({ health }) => health.state() === 'closed'))
    probe.health.probed()
    return probe
  }

  function leastBusy(candidates: readonly Backend[]): Backend | undefined {
    const fewest = Math.min(...candidates.map(loadOf))
    const idlest = candidates.filter((backend) => loadOf(backend) === fewest)
    return inTurn(idlest)
  }

  /** Each waits by its weight, and who has waited longest is next: three of four turns go to a weight of three to one. */
  function inTurn(equals: readonly Backend[]): Backend | undefined {
    let next: Backend | undefined
    let total = 0
    for (const backend of equals) {
      const weight = weightOf(backend)
      total += weight
      turns.set(backend, turns.get(backend)! + weight)
      if (next === undefined || turns.get(backend)! > turns.get(next)!) next = backend
    }
    if (next !== undefined) turns.set(next, turns.get(next)! - total)
    return next
  }

  return {
    pickRested,
    pick: (tried) => pickRested(tried) ?? leastBusy(backends.filter((backend) => !tried.has(backend))),
  }
}

function loadOf(backend: Backend): number {
  return backend.running / weightOf(backend)
}

function weightOf({ config: { weight = 1 } }: Backend): number {
  return weight
}
