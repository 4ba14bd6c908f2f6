import { AttestationError, type Digest } from '#attestation'
import { limits } from '#contract/limits'
import { type Clock, systemClock } from '#egress/clock.ts'
import { Pools } from '#egress/connection/pools.ts'
import { targetOf } from '#egress/connection/target.ts'
import { Withdrawn } from '#egress/connection/withdrawn.ts'
import type { Outcome } from '#egress/evidence/attest.ts'
import { Attestor } from '#egress/verdict/attestor.ts'
import { type Admitted, type Denied, upstreamRules, type Verdict } from '#egress/verdict/verdict.ts'
import type { Log } from '../log.ts'
import { type CheckDependencies, createCheck } from './check.ts'
import type { UpstreamEvent } from './events.ts'
import type { Registration } from './registration.ts'
import { transitionOf } from './transition.ts'

const FOREIGN = 'somebody else answered in the place of an upstream; the verdict on it stands'

/** What an upstream needs from the world. */
export interface UpstreamDependencies {
  readonly registration: Registration
  /** The key that it asks for, in clear. */
  readonly apiKey: string | undefined
  readonly record: CheckDependencies['record']
  /** Told of each transition, and of answers that somebody else gave. */
  readonly onEvent: (event: Omit<UpstreamEvent, 'replica'>) => void
  /** A denial that the other routers do not know of yet. */
  readonly onDenial: () => void
  readonly log: Log
  /** Longest wait for a connection, unless it is the contract's. */
  readonly connectMs?: number
  readonly clock?: Clock
  /** A check in place of the real one, for tests. */
  readonly attest?: (newest: Date | undefined, signal: AbortSignal) => Promise<Outcome>
}

/** A live verdict, and the signal that is aborted, with a `Withdrawn`, as soon as it ends. */
export interface Admittance {
  readonly verdict: Admitted
  readonly term: AbortSignal
}

/** One external upstream as this router knows it: its verdict, its connections, and what runs over them. */
export class Upstream {
  readonly attestor: Attestor
  readonly pools: Pools
  readonly apiKey: string | undefined
  readonly #world: UpstreamDependencies
  readonly #clock: Clock
  #registration: Registration
  /** From one admission to its end; renewals belong to it. */
  #term: AbortController | undefined
  #unshared: Denied | undefined
  #foreignAnswers = 0
  /** Whether the answers since the last check that passed have been an event: one for all of them. */
  #isForeignTold = false

  constructor(world: UpstreamDependencies) {
    const { registration, apiKey, record, log, connectMs = limits.connectTimeoutMs } = world
    const { clock = systemClock } = world
    this.#world = world
    this.#clock = clock
    this.#registration = registration
    this.apiKey = apiKey
    const target = targetOf(new URL(registration.url), registration.hostname)
    // How long an answer may take is bounded by the relay's own timers, as with every backend.
    this.pools = new Pools(target, { connectMs, firstByteMs: 0, idleMs: 0 })
    const now = () => new Date(clock.now().wallMs)
    const check = { target, registration: () => this.#registration, record, now, log }
    this.attestor = new Attestor({
      attest: world.attest ?? createCheck(check),
      clock,
      rules: upstreamRules,
      // What the table holds is given to each check, and what a check accepted was put there by it.
      newest: { get: () => this.#registration.newestIssuedAt, keep: () => {} },
      onVerdict: (after, before) => this.#act(after, before),
      onCheck: (outcome, isForeign) => this.#hear(outcome, isForeign),
      onThrown(error) {
        log.error('what was to be done about a check was not', { upstream: registration.name, error })
      },
    })
    this.attestor.stand(registration.standing)
    this.attestor.start()
  }

  get registration(): Registration {
    return this.#registration
  }

  /** A sticky denial that has still to be shared. */
  get unshared(): Denied | undefined {
    return this.#unshared
  }

  /** How often somebody else has answered in its place, so that its verdict stood. */
  get foreignAnswers(): number {
    return this.#foreignAnswers
  }

  /** What a request may go under now; undefined without a live verdict, and for good once this was stopped. */
  get admittance(): Admittance | undefined {
    const { verdict } = this.attestor
    return verdict.state === 'admitted' && this.#term ? { verdict, term: this.#term.signal } : undefined
  }

  /** Takes in what administrators and other routers have said. */
  apply(registration: Registration): void {
    const { standing, attestationsAsked } = registration
    const isAsked = attestationsAsked > this.#registration.attestationsAsked
    // What was read before our own denial stood there does not lift it; an administrator who asks for a check does.
    if (isAsked || standing.denial !== undefined) this.#unshared = undefined
    this.#registration = registration
    this.attestor.stand(this.#unshared ? { ...standing, denial: this.#unshared.ground } : standing)
    this.#withdrawUnpinned(registration.pins)
    if (isAsked) void this.attestor.attest()
  }

  /** Ends everything that runs. */
  async stop(): Promise<void> {
    this.attestor.stop()
    await this.#end(new AttestationError('attesting', 'verdict_pending'))
  }

  #hear(outcome: Outcome, isForeign: boolean): void {
    if (outcome.kind === 'passed') {
      this.#isForeignTold = false
      return
    }
    const { name: upstream } = this.#registration
    const { stage, reason, cause: error } = outcome.ground
    this.#world.log.warn(isForeign ? FOREIGN : 'an upstream was not admitted', {
      upstream,
      stage,
      reason,
      error,
    })
    if (!isForeign) return
    this.#foreignAnswers += 1
    if (this.#isForeignTold) return
    this.#isForeignTold = true
    const at = new Date(this.#clock.now().wallMs)
    this.#world.onEvent({ at, upstream, event: 'foreign_answer', stage, reason })
  }

  #withdrawUnpinned(pins: readonly Digest[]): void {
    const { verdict } = this.attestor
    if (verdict.state !== 'admitted' || pins.includes(verdict.admission.digest)) return
    const details = { evidenceDigest: verdict.admission.digest }
    const reason = pins.length === 0 ? 'no_pins' : 'digest_not_pinned'
    this.attestor.withdraw(new AttestationError('policy', reason, details))
  }

  #act(after: Verdict, before: Verdict): void {
    if (after.state === 'admitted') this.#begin(after)
    else if (before.state === 'admitted') void this.#end(after.ground)
    if (isDenial(after) && this.#registration.standing.denial === undefined) {
      this.#unshared = after
      this.#world.onDenial()
    }
    const told = transitionOf(after, before)
    if (told === undefined) return
    const at = new Date(this.#clock.now().wallMs)
    this.#world.onEvent({ at, upstream: this.#registration.name, ...told })
  }

  #begin({ admission }: Admitted): void {
    this.#term ??= new AbortController()
    this.pools.keepOnly(admission.certFingerprint)
  }

  /** First the requests are told, then their connections are cut. */
  async #end(ground: AttestationError): Promise<void> {
    const withdrawn = new Withdrawn(ground)
    this.#term?.abort(withdrawn)
    this.#term = undefined
    await this.pools.destroy(withdrawn)
  }
}

function isDenial(verdict: Verdict): verdict is Denied {
  return verdict.state === 'denied' && verdict.isSticky
}
