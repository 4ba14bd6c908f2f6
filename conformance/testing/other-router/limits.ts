import type { Key } from './books.ts'
import { Refusal } from './refusal.ts'

/** The defaults of this deployment. */
export const REQUESTS_PER_MINUTE = 240
const TOKENS_PER_MINUTE = 2_000_000

const MINUTE_MS = 60_000

/** What was used of a budget in the minute that began then. */
interface Window {
  beganMs: number
  used: number
}

/** Buckets that are full again a minute after their first use, all at once. */
export class Limits {
  readonly #windows = new Map<string, Window>()

  /** Admits a request or throws 429; the order of the four is the contract's. */
  admit(key: Key): void {
    const { workspace } = key
    const requests = key.requestsPerMinute ?? REQUESTS_PER_MINUTE
    const tokens = key.tokensPerMinute ?? TOKENS_PER_MINUTE
    const asked = [
      [`requests of ${key.id}`, requests],
      [`requests of ${workspace.id}`, REQUESTS_PER_MINUTE],
      [`tokens of ${key.id}`, tokens],
      [`tokens of ${workspace.id}`, TOKENS_PER_MINUTE],
    ] as const
    for (const [name, limit] of asked) this.look(name, limit)
    this.use(`requests of ${key.id}`, 1)
    this.use(`requests of ${workspace.id}`, 1)
  }

  /** Debits tokens that were used. */
  spend(key: Key, tokens: number): void {
    this.use(`tokens of ${key.id}`, tokens)
    this.use(`tokens of ${key.workspace.id}`, tokens)
  }

  /** Throws 429 where a budget is used up. */
  look(name: string, limit: number): void {
    const { beganMs, used } = this.#window(name)
    if (used < limit) return
    const endMs = beganMs + MINUTE_MS
    throw new Refusal(429, 'rate_limit_exceeded', 'rate_limit_error', 'Too much in this minute.', {
      'Retry-After': new Date(endMs).toUTCString(),
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': `${Math.ceil((endMs - Date.now()) / 1_000)}s`,
    })
  }

  use(name: string, amount: number): void {
    this.#window(name).used += amount
  }

  #window(name: string): Window {
    const found = this.#windows.get(name)
    if (found && Date.now() < found.beganMs + MINUTE_MS) return found
    const fresh = { beganMs: Date.now(), used: 0 }
    this.#windows.set(name, fresh)
    return fresh
  }
}
