import { Pool } from 'undici'
import type { Digest } from '#attestation'
import { createConnector } from './connector.ts'
import { authorityOf, type Target } from './target.ts'

/** Longest waits for an answer's head and between two pieces of it: longer than a router's own (ours). */
const FIRST_BYTE_MS = 660_000
const IDLE_MS = 300_000

/** How long an idle connection is kept when the server does not say (ours). */
const KEEP_ALIVE_MS = 30_000
const MAX_KEEP_ALIVE_MS = 600_000

/** The connections to one endpoint: a pool for each certificate, and only one of them takes requests. */
export class Pools {
  readonly #target: Target
  readonly #serving = new Map<Digest, Pool>()
  readonly #retired = new Set<Pool>()

  constructor(target: Target) {
    this.#target = target
  }

  /** The connections that end at this certificate. */
  of(fingerprint: Digest): Pool {
    let pool = this.#serving.get(fingerprint)
    if (pool === undefined) {
      pool = createPool(this.#target, fingerprint)
      this.#serving.set(fingerprint, pool)
    }
    return pool
  }

  /** Retires all others: what runs there may end, nothing new begins. */
  keepOnly(fingerprint: Digest): void {
    for (const [other, pool] of this.#serving) if (other !== fingerprint) this.#retire(other, pool)
  }

  /** Cuts every connection; the error is what each request that runs is told. */
  async destroy(error: Error): Promise<void> {
    const pools = [...this.#serving.values(), ...this.#retired]
    this.#serving.clear()
    this.#retired.clear()
    await Promise.all(pools.map((pool) => pool.destroy(error)))
  }

  #retire(fingerprint: Digest, pool: Pool): void {
    this.#serving.delete(fingerprint)
    this.#retired.add(pool)
    const forget = () => void this.#retired.delete(pool)
    pool.close().then(forget, forget)
  }
}

function createPool(target: Target, fingerprint: Digest): Pool {
  return new Pool(`https://${authorityOf(target)}`, {
    connect: createConnector(target, fingerprint),
    headersTimeout: FIRST_BYTE_MS,
    bodyTimeout: IDLE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    allowH2: false,
  })
}
