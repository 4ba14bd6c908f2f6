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

/** Reads each own endpoint's bundle every minute; what cannot be read changes nothing (EVID-32). */
export function startPoller({ endpoints, fetch = fetchBundle, ...options }: PollerOptions): Ticker {
  const { shelf, save, intervalMs, log } = options
  const tickers = endpoints.map((endpoint) => {
    const name = `reading the evidence of ${endpoint.name}`
    const { warn, recovered } = createGrumble(log, name)
    const poll = async (): Promise<void> => {
      const publication = parsePublication(await fetch(endpoint.evidence))
      if (shelf.offer(endpoint, publication)) await save(endpoint.name, publication)
      recovered()
    }
    return startTicker({
      name,
      firstMs: 0,
      intervalMs,
      retryMs: Math.min(RETRY_MS, intervalMs),
      log: { ...log, warn },
      task: poll,
    })
  })
  return {
    async stop() {
      await Promise.all(tickers.map((ticker) => ticker.stop()))
    },
  }
}

/**
 * Tells of the first of a run of failures and of its end: an endpoint without a platform would fill the log for ever,
 * and `router_evidence_age` shows what is old.
 */
function createGrumble(log: Log, name: string): { warn: Log['warn']; recovered(): void } {
  let isTold = false
  return {
    warn(message, fields) {
      if (!isTold)
        log.warn(`${message}, and is tried again without another word: is there a platform?`, fields)
      isTold = true
    },
    recovered() {
      if (isTold) log.info(`${name} works`)
      isTold = false
    },
  }
}
