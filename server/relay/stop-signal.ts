const actsOf = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `act` when the signal is aborted; returns how to take it back. One signal may serve thousands of running
 * streams, and an event target walks through all of its listeners whenever one comes or goes: this does not.
 */
export function onceAborted(signal: AbortSignal, act: () => void): () => void {
  const acts = actsOf.get(signal) ?? listen(signal)
  acts.add(act)
  return () => void acts.delete(act)
}

function listen(signal: AbortSignal): Set<() => void> {
  const acts = new Set<() => void>()
  actsOf.set(signal, acts)
  signal.addEventListener('abort', () => {
    for (const act of acts) act()
  })
  return acts
}
