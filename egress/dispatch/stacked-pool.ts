import type { Client } from 'undici'
import StockClient from 'undici/lib/dispatcher/client.js'
import {
  kAddClient,
  kGetDispatcher,
  kHasDispatcher,
  kNeedDrain,
  kOnClientDrain,
  kRetireClient,
  PoolBase,
  type Pooled,
} from 'undici/lib/dispatcher/pool-base.js'

/**
 * The connections to one server: as many as requests run at once, one request at a time on each (HTTP/1.1). The one that
 * has rested the shortest while serves next, so that those which nobody needs come to the end of their rest. One that the
 * server has closed counts among them, and is opened again by its next request, as in undici's own `Pool`.
 *
 * That one looks through all of its connections for one that is free, and through all once more before the next request
 * comes: of 5,000 that serve streams, this takes it more than 100 µs for each.
 */
export class StackedPool extends PoolBase {
  readonly #origin: string
  readonly #options: Client.Options
  /** Those that serve no request, the next one last. */
  readonly #stack: Pooled[] = []
  readonly #stacked = new Set<Pooled>()

  constructor(origin: string, options: Client.Options) {
    super()
    this.#origin = origin
    this.#options = { ...options, allowH2: false }
    // As in undici's: whoever could not connect is asked no more.
    this.on('connectionError', (_, targets) => {
      for (const target of targets) if (target instanceof StockClient) this[kRetireClient](target)
    })
  }

  /** Told of one whose request has ended. */
  override [kOnClientDrain](client: Pooled): void {
    this.#put(client)
  }

  /** Asked once for each request. Whom it tells it keeps, as it does not hear whether that one took the request. */
  override [kGetDispatcher](): Pooled {
    const next = this.#next()
    if (next !== undefined) return next
    const client: Pooled = new StockClient(this.#origin, this.#options)
    this[kAddClient](client)
    this.#put(client)
    return client
  }

  /** Asked once it has: whether another request could be served at once. */
  override [kHasDispatcher](): boolean {
    this.#next()
    return true
  }

  #put(client: Pooled): void {
    if (this.#stacked.has(client)) return
    this.#stacked.add(client)
    this.#stack.push(client)
  }

  /** Takes those away that have become busy, or are over. */
  #next(): Pooled | undefined {
    for (let next = this.#stack.at(-1); next !== undefined; next = this.#stack.at(-1)) {
      if (!next[kNeedDrain] && !next.closed && !next.destroyed) return next
      this.#stack.pop()
      this.#stacked.delete(next)
    }
    return undefined
  }
}
