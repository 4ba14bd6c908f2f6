import { Roster } from '#base/roster.ts'

const actsOf = new WeakMap<AbortSignal, Roster<() => void>>()

/**
 * Calls `act` when the signal is aborted; returns how to take it back. One signal may serve thousands of running
 * streams, and an event target walks through all of its listeners whenever one comes or goes: this does not.
 */
export function onceAborted(signal: AbortSignal, act: () => void): () => void {
  const acts = actsOf.get(signal) ?? listen(signal)
  const entry = acts.add(act)
  return () => acts.remove(entry)
}

function listen(signal: AbortSignal): Roster<() => void> {
  const acts = new Roster<() => void>()
  actsOf.set(signal, acts)
  signal.addEventListener('abort', () => {
    for (const act of acts) act()
  })
  return acts
}
