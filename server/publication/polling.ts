import type { EndpointConfig } from '../config/router.ts'
import type { Ticker } from '../store/ticker.ts'
import { type PollerOptions, startPoller } from './poller.ts'

/** Reads the bundles of own endpoints, whichever those are. */
export interface Polling {
  /** From now on these are the endpoints, and they are read every `intervalMs`. */
  follow(endpoints: readonly EndpointConfig[], intervalMs: number): void
  /** Resolves once nothing is being read any more. */
  stop(): Promise<void>
}

/** Reads nothing at first. */
export function createPolling(options: Omit<PollerOptions, 'endpoints' | 'intervalMs'>): Polling {
  const stopping = new Set<Promise<void>>()
  let poller: Ticker | undefined

  function stopPoller(): void {
    if (poller === undefined) return
    const stopped = poller.stop().finally(() => stopping.delete(stopped))
    stopping.add(stopped)
    poller = undefined
  }

  return {
    follow(endpoints, intervalMs) {
      stopPoller()
      poller = startPoller({ ...options, endpoints, intervalMs })
    },
    async stop() {
      stopPoller()
      await Promise.all(stopping)
    },
  }
}
