import type { Dispatcher } from 'undici'
import {
  AttestationError,
  checkFreshness,
  checkPolicy,
  type Expectation,
  recheckHardware,
  recheckLeafName,
} from '#attestation'
import { type Clock, type Moment, systemClock } from './clock.ts'
import type { Target } from './connection/target.ts'
import { type Admittance, type Outgoing, PinnedDispatch, type Way } from './dispatch/pinned.ts'
import { Pools, type Timeouts } from './dispatch/pools.ts'
import { type Attest, createAttest } from './evidence/attest.ts'
import { createCheck, type Memory } from './evidence/check.ts'
import { Refused, Withdrawn } from './refused.ts'
import { Attestor, type AttestorDependencies } from './verdict/attestor.ts'
import type { Patience } from './verdict/doubts.ts'
import { type Admitted, type Standing, unjudged, type Verdict } from './verdict/verdict.ts'

/** What an attested endpoint needs from the world. */
export interface AttestedEndpointDependencies
  extends Pick<AttestorDependencies, 'rules' | 'onVerdict' | 'onCheck' | 'onThrown'> {
  readonly target: Target
  /** What is expected of it until `expect` says otherwise. */
  readonly expected: Expectation
  readonly memory: Memory
  /** Longest waits on its connections. */
  readonly timeouts?: Timeouts
  readonly clock?: Clock
  /** One check in place of the real one, for tests. */
  readonly attest?: Attest
  /** Told of the first connection of each request that showed another certificate than its verdict names. */
  readonly onRefusedLeaf?: (verdict: Admitted) => void
}

/** An endpoint that is sent nothing but under a verdict: what is expected of it, the verdict, and its connections. */
export class AttestedEndpoint {
  readonly #world: AttestedEndpointDependencies
  readonly #attestor: Attestor
  readonly #pools: Pools
  readonly #way: Way
  #expected: Expectation
  /** From one admission to its end; renewals belong to it. */
  #term: AbortController | undefined

  /** Nothing is checked before `start`. */
  constructor(world: AttestedEndpointDependencies) {
    const { target, expected, memory, rules, clock = systemClock, onCheck, onThrown } = world
    const { attest = createAttest(target, () => new Date(clock.now().wallMs)) } = world
    this.#world = world
    this.#expected = expected
    this.#pools = new Pools(target, world.timeouts)
    this.#attestor = new Attestor({
      attest: createCheck({ attest, expected: () => this.#expected, memory, onThrown }),
      clock,
      rules,
      onVerdict: (after, before) => this.#act(after, before),
      onCheck,
      onThrown,
    })
    this.#way = {
      verdict: () => this.verdict,
      poolOf: (fingerprint) => this.#pools.of(fingerprint),
      awaitRenewal: (doubted, patience) => this.#attestor.awaitRenewal(doubted, patience),
      onRefusedLeaf: (verdict) => world.onRefusedLeaf?.(verdict),
      onThrown,
    }
  }

  get expected(): Expectation {
    return this.#expected
  }

  /** The verdict by the clocks of this moment; reading it does nothing. */
  get verdict(): Verdict {
    return this.#attestor.verdict
  }

  /** This moment, as a request that arrives now has to name it. */
  get now(): Moment {
    return this.#attestor.now
  }

  /** How many requests wait for a new certificate to be signed for. */
  get waiting(): number {
    return this.#attestor.waiting
  }

  /** How long until the next check is due, in milliseconds; 0 while one runs. */
  get nextCheckMs(): number {
    return this.#attestor.nextCheckMs
  }

  /** Begins with the first check. */
  start(): void {
    this.#attestor.start()
  }

  /** What a request may go under that is about to be sent; undefined without a live verdict, which ends now if it is over. */
  admit(): Admittance | undefined {
    const verdict = this.#attestor.look()
    return verdict.state === 'admitted' && this.#term ? { verdict, term: this.#term.signal } : undefined
  }

  /** The same, where a request may wait for the first verdict (VERD-14). Throws `Refused` when there is none then. */
  async awaitAdmittance(patience: Patience): Promise<Admittance> {
    const verdict = await this.#attestor.awaitVerdict(patience)
    const admittance = this.admit()
    if (admittance !== undefined) return admittance
    // Admitted and yet no way: this endpoint was stopped meanwhile, and another one may have taken its place.
    throw new Refused('attestation_failed', (verdict.state === 'admitted' ? unjudged : verdict).ground)
  }

  /** Sends a request to the certificate of its verdict and to no other; see `dispatch/pinned.ts`. */
  dispatch(admittance: Admittance, outgoing: Outgoing, handler: Dispatcher.DispatchHandler): void {
    new PinnedDispatch(this.#way, admittance, outgoing, handler).start()
  }

  /**
   * Judges by something else from now on. What is admitted and does not hold by it ends before any new evidence is asked
   * for, so that what is withdrawn ends while the platform cannot be reached, too. Whoever stands above checks may speak
   * in the same breath.
   */
  expect(expected: Expectation, standing?: Standing): void {
    this.#expected = expected
    if (standing !== undefined) this.stand(standing)
    const { verdict } = this
    if (verdict.state === 'admitted') this.#withdrawUnlessHeld(verdict)
  }

  /** Applies what an administrator, or another replica, has set; it goes before what checks find. */
  stand(standing: Standing): void {
    this.#attestor.stand(standing)
  }

  /** Makes a check that begins after this moment. */
  attest(): Promise<void> {
    return this.#attestor.attest()
  }

  /** Ends checks, requests and connections, for this reason. */
  async stop(reason: Error): Promise<void> {
    this.#attestor.stop()
    await this.#end(reason)
  }

  #act(after: Verdict, before: Verdict): void {
    if (after.state === 'admitted') {
      this.#term ??= new AbortController()
      this.#pools.keepOnly(after.admission.certFingerprint)
    } else if (before.state === 'admitted') void this.#end(new Withdrawn(after.ground))
    this.#world.onVerdict(after, before)
    // Another expectation may have been set while the last check was being recorded.
    if (after.state === 'admitted' && after.basis.expected !== this.#expected) this.#withdrawUnlessHeld(after)
  }

  #withdrawUnlessHeld(admitted: Admitted): void {
    const objection = findObjection(admitted, this.#expected)
    if (objection !== undefined) this.#attestor.withdraw(objection)
  }

  /** First the requests are told, then their connections are cut. */
  async #end(reason: Error): Promise<void> {
    this.#term?.abort(reason)
    this.#term = undefined
    await this.#pools.destroy(reason)
  }
}

/** Why an admission does not hold by what is expected; undefined when nothing that is known of it speaks against it. */
export function findObjection(
  { admission, basis }: Pick<Admitted, 'admission' | 'basis'>,
  { roots, pins, policies, maxBundleAgeMs }: Expectation,
): AttestationError | undefined {
  try {
    const { bytes, judgedAt, expected } = basis
    recheckLeafName({ hostname: admission.hostname, bytes, judgedAt, roots: expected.roots }, roots)
    if (!roots.some(({ fingerprint }) => fingerprint === admission.rootFingerprint))
      throw new AttestationError('untrusted-root', 'root_not_trusted')
    recheckHardware({ admission, bytes, judgedAt }, roots)
    // As it was judged: it grows older by itself, and its age ends no verdict before the next check.
    checkFreshness(admission.issuedAt, { now: judgedAt, maxBundleAgeMs })
    checkPolicy(admission, { pins, policies })
    return undefined
  } catch (thrown) {
    if (thrown instanceof AttestationError) return thrown
    // As of a check: what breaks the verifier is not admitted. Whoever sets expectations goes on to the next endpoint.
    return new AttestationError('fetch', 'malformed_bundle', { cause: thrown })
  }
}
