import type { Expectation } from '#attestation'
import { limits } from '#contract/limits'
import { type Clock, systemClock } from '#egress/clock.ts'
import { targetOf } from '#egress/connection/target.ts'
import { AttestedEndpoint } from '#egress/endpoint.ts'
import { type Attest, createAttest, type Outcome } from '#egress/evidence/attest.ts'
import type { Recorded } from '#egress/evidence/check.ts'
import { Withdrawn } from '#egress/refused.ts'
import { type Denied, unjudged, upstreamRules, type Verdict } from '#egress/verdict/verdict.ts'
import type { Log } from '../log.ts'
import type { Tracer } from '../tracing/tracer.ts'
import type { UpstreamEvent } from './events.ts'
import type { Registration } from './registration.ts'
import type { AdmittedBundle } from './sharing.ts'
import { tracedAttest } from './traced-attest.ts'
import { transitionOf } from './transition.ts'

const FOREIGN = 'somebody else answered in the place of an upstream; the verdict on it stands'

/** What an upstream needs from the world. */
export interface UpstreamDependencies {
  readonly registration: Registration
  /** The key that it asks for, in clear. */
  readonly apiKey: string | undefined
  /** Shares an admission before anybody acts on it. */
  readonly record: (registration: Registration, bundle: AdmittedBundle) => Promise<Recorded>
  /** Told of each transition, and of answers that somebody else gave. */
  readonly onEvent: (event: Omit<UpstreamEvent, 'replica'>) => void
  /** A denial that the other routers do not know of yet. */
  readonly onDenial: () => void
  readonly log: Log
  /** Longest wait for a connection, unless it is the contract's. */
  readonly connectMs?: number
  readonly clock?: Clock
  /** A check in place of the real one, for tests. */
  readonly attest?: Attest
  /** Has checks be traces; without it none are. */
  readonly tracer?: Pick<Tracer, 'beginAlone'> | undefined
}

/** One external upstream as this router knows it: the endpoint, and what routers share of its verdicts. */
export class Upstream {
  readonly endpoint: AttestedEndpoint
  readonly apiKey: string | undefined
  readonly #world: UpstreamDependencies
  readonly #clock: Clock
  #registration: Registration
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
    const { tracer } = world
    const plain = () => world.attest ?? createAttest(target, () => new Date(clock.now().wallMs))
    const attest = tracer ? tracedAttest(tracer, registration.name, plain()) : world.attest
    this.endpoint = new AttestedEndpoint({
      target,
      expected: expectationOf(registration),
      // How long an answer may take is bounded by the relay's own timers, as with every backend.
      timeouts: { connectMs, firstByteMs: 0, idleMs: 0 },
      clock,
      rules: upstreamRules,
      ...(attest && { attest }),
      memory: {
        newestIssuedAt: () => this.#registration.newestIssuedAt,
        record: ({ admission: { digest, issuedAt }, basis: { bytes } }) =>
          record(this.#registration, { digest, issuedAt, bytes }),
      },
      onVerdict: (after, before) => this.#tell(after, before),
      onCheck: (outcome, isForeign) => this.#hear(outcome, isForeign),
      onThrown(error) {
        log.error('what was to be done about an upstream was not', { upstream: registration.name, error })
      },
    })
    this.endpoint.stand(registration.standing)
    this.endpoint.start()
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

  /** Takes in what administrators and other routers have said. */
  apply(registration: Registration): void {
    const { attestationsAsked, revision } = registration
    const isChanged = revision !== this.#registration.revision
    const isAsked = attestationsAsked > this.#registration.attestationsAsked
    // What was read before our own denial stood there does not lift it; an administrator who asks for a check does.
    if (isAsked || registration.standing.denial !== undefined) this.#unshared = undefined
    this.#registration = registration
    const denial = this.#unshared?.ground ?? registration.standing.denial
    const standing = { ...registration.standing, denial }
    // A check that any act overtook counts for nothing, and is made again.
    if (isChanged) this.endpoint.expect(expectationOf(registration), standing)
    else this.endpoint.stand(standing)
    if (isAsked) void this.endpoint.attest()
  }

  /** Ends everything that runs. */
  stop(): Promise<void> {
    return this.endpoint.stop(new Withdrawn(unjudged.ground))
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

  #tell(after: Verdict, before: Verdict): void {
    if (isDenial(after) && this.#registration.standing.denial === undefined) {
      this.#unshared = after
      this.#world.onDenial()
    }
    const told = transitionOf(after, before)
    if (told === undefined) return
    const at = new Date(this.#clock.now().wallMs)
    this.#world.onEvent({ at, upstream: this.#registration.name, ...told })
  }
}

function expectationOf({ roots, pins }: Registration): Expectation {
  return { roots, pins, maxBundleAgeMs: limits.maxBundleAgeMs }
}

function isDenial(verdict: Verdict): verdict is Denied {
  return verdict.state === 'denied' && verdict.isSticky
}
