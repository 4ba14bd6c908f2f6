import type { ErrorCode } from '#contract/errors'
import type { Outcome } from '#egress/evidence/attest.ts'

/** How a request ended: answered by the endpoint, given up by its client, or with an error of the proxy's own. */
export type Ending = 'answered' | 'left' | ErrorCode

/** A count and what it is a count of. */
export interface Count {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** What one endpoint has seen since the proxy was started. Counts only: nothing that a caller wrote. */
export class Tally {
  #running = 0
  #forwarded = 0
  #refused = 0
  #refusedLeaves = 0
  readonly #endings = new Map<Ending, number>()
  readonly #checks = new Map<string, Count>()

  /** Requests under way. */
  get running(): number {
    return this.#running
  }

  /** Requests of which something was sent to the endpoint. */
  get forwarded(): number {
    return this.#forwarded
  }

  /** Requests that the proxy answered itself, without a byte sent to the endpoint. */
  get refused(): number {
    return this.#refused
  }

  /** Connections that showed another certificate than the verdict names. */
  get refusedLeaves(): number {
    return this.#refusedLeaves
  }

  /** How requests ended. */
  get endings(): readonly Count[] {
    return [...this.#endings].map(([outcome, value]) => ({ labels: { outcome }, value }))
  }

  /** How checks of the evidence ended. */
  get checks(): readonly Count[] {
    return [...this.#checks.values()]
  }

  begin(): void {
    this.#running += 1
  }

  send(): void {
    this.#forwarded += 1
  }

  end(ending: Ending, isSent: boolean): void {
    this.#running -= 1
    if (!isSent && ending !== 'left') this.#refused += 1
    this.#endings.set(ending, (this.#endings.get(ending) ?? 0) + 1)
  }

  refuseLeaf(): void {
    this.#refusedLeaves += 1
  }

  /** A check that ended; one that somebody else answered is counted as `foreign`. */
  check(outcome: Outcome, isForeign: boolean): void {
    const { stage = '', reason = '' } = outcome.kind === 'passed' ? {} : outcome.ground
    const labels = { result: isForeign ? 'foreign' : outcome.kind, stage, reason }
    const key = Object.values(labels).join()
    this.#checks.set(key, { labels, value: (this.#checks.get(key)?.value ?? 0) + 1 })
  }
}
