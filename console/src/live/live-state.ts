import { useSyncExternalStore } from 'react'

/** Whether what is shown follows by itself; `away` is the router's database. */
export type LiveState = 'connecting' | 'live' | 'away'

let state: LiveState = 'connecting'
const listeners = new Set<() => void>()

/** Whether what is shown follows by itself now. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}

export function setLiveState(value: LiveState): void {
  state = value
  for (const listener of listeners) listener()
}
