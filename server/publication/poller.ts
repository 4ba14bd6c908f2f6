import type { EndpointConfig, EvidenceSource } from '../config/router.ts'
import type { Log } from '../log.ts'
import { startTicker, type Ticker } from '../store/ticker.ts'
import { fetchBundle } from './fetch.ts'
import { type Publication, parsePublication } from './publication.ts'
import type { Shelf } from './shelf.ts'

/** What the poller needs from the world. */
export interface PollerOptions {
  readonly endpoints: readonly EndpointConfig[]
  readonly shelf: Shelf
  /** Keeps what was fetched for the next start. */
  readonly save: (endpoint: string, publication: Publication) => Promise<void>
  readonly intervalMs: number
  readonly log: Log
  readonly fetch?: (source: EvidenceSource) => Promise<Buffer>
}

/** How soon an endpoint is asked again that could not be read (ours). */
const RETRY_MS = 5_000

/** Reads each own endpoint's bundle every minute; what cannot be read changes nothing (decisions, 8). */
export function startPoller({ endpoints, fetch = fetchBundle, ...options }: PollerOptions): Ticker {
  const { shelf, save, intervalMs, log } = options
  const tickers = endpoints.map((endpoint) => {
    const poll = async (): Promise<void> => {
      const publication = parsePublication(await fetch(endpoint.evidence))
      if (shelf.offer(endpoint, publication)) await save(endpoint.name, publication)
    }
    return startTicker({
      name: `reading the evidence of ${endpoint.name}`,
      firstMs: 0,
      intervalMs,
      retryMs: Math.min(RETRY_MS, intervalMs),
      log,
      task: poll,
    })
  })
  return {
    async stop() {
      await Promise.all(tickers.map((ticker) => ticker.stop()))
    },
  }
}
