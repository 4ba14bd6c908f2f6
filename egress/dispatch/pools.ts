import type { Digest } from '#attestation'
import { limits } from '#contract/limits'
import { passingOverInterim } from '../connection/interim.ts'
import { authorityOf, type Target } from '../connection/target.ts'
import { createConnector } from './pinned.ts'
import { StackedPool } from './stacked-pool.ts'

/** Longest waits: for a connection, for an answer's head, and between two pieces of it; 0 is no end of patience. */
export interface Timeouts {
  readonly connectMs: number
  readonly firstByteMs: number
  readonly idleMs: number
}

/** Longer than a router's own (ours). */
const TIMEOUTS: Timeouts = {
  connectMs: limits.connectTimeoutMs,
  firstByteMs: 660_000,
  idleMs: 300_000,
}

/** How long an idle connection is kept when the server does not say (ours). */
const KEEP_ALIVE_MS = 30_000
const MAX_KEEP_ALIVE_MS = 600_000

/** The connections to one endpoint: a pool for each certificate, and only one of them takes requests. */
export class Pools {
  readonly #target: Target
  readonly #timeouts: Timeouts
  readonly #serving = new Map<Digest, StackedPool>()
  readonly #retired = new Set<StackedPool>()

  constructor(target: Target, timeouts = TIMEOUTS) {
    this.#target = target
    this.#timeouts = timeouts
  }

  /** The connections that end at this certificate. */
  of(fingerprint: Digest): StackedPool {
    let pool = this.#serving.get(fingerprint)
    if (pool === undefined) {
      pool = createPool(this.#target, fingerprint, this.#timeouts)
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

  #retire(fingerprint: Digest, pool: StackedPool): void {
    this.#serving.delete(fingerprint)
    this.#retired.add(pool)
    const forget = () => void this.#retired.delete(pool)
    pool.close().then(forget, forget)
  }
}

function createPool(target: Target, fingerprint: Digest, timeouts: Timeouts): StackedPool {
  const { connectMs, firstByteMs, idleMs } = timeouts
  return new StackedPool(`https://${authorityOf(target)}`, {
    connect: passingOverInterim(createConnector(target, fingerprint, { connectMs })),
    headersTimeout: firstByteMs,
    bodyTimeout: idleMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
  })
}
