import type { AttestationError } from '#attestation'
import { limits } from '#contract/limits'
import { type Clock, elapsedMs, type Moment } from '../clock.ts'
import { type Outcome, outcomeOf } from '../evidence/attest.ts'
import { UnfinishedFetch } from '../evidence/fetch.ts'
import { Checks, type OnThrown } from './checks.ts'
import { Doubts, type Patience } from './doubts.ts'
import {
  type Admitted,
  afterCheck,
  afterStanding,
  afterTime,
  afterWithdrawal,
  isForeign,
  isJudged,
  lifeLeftMs,
  type Standing,
  unjudged,
  type Verdict,
  type VerdictRules,
} from './verdict.ts'

/** What an attestor needs from the world. */
export interface AttestorDependencies {
  /** One check, given a signal that gives it up. */
  readonly attest: (signal: AbortSignal) => Promise<Outcome>
  readonly clock: Clock
  /** Whose verdict it is: how long it lives, and whether a denial is sticky. */
  readonly rules: VerdictRules
  /** Told of each change of the verdict, before anybody can act on it. */
  readonly onVerdict: (after: Verdict, before: Verdict) => void
  /** Told of each check as it ends, before what it means for the verdict, and whether it was somebody else's answer. */
  readonly onCheck: (outcome: Outcome, isForeign: boolean) => void
  /** Told what any of these threw; it changes nothing. */
  readonly onThrown: OnThrown
}

/** How often the clocks are looked at; a machine that slept is noticed within this time (ours). */
const LOOK_MS = 1_000

/** Most that a wall clock may be set back without anybody caring (ours). */
const STEP_MS = 1_000

/** Keeps the verdict of one endpoint, renews it in time and ends it in time (VERD-07, VERD-08, VERD-22). */
export class Attestor {
  readonly #world: AttestorDependencies
  readonly #checks: Checks
  readonly #doubts: Doubts
  readonly #stopped = new AbortController()
  #verdict: Verdict = unjudged
  /** How many wait for the first verdict. */
  #newcomers = 0
  #seenWallMs = Number.NEGATIVE_INFINITY
  #disarm: () => void = () => {}

  constructor(world: AttestorDependencies) {
    this.#world = world
    this.#checks = new Checks(
      world.clock,
      (since) => this.#check(since),
      () => this.#watch(),
      world.onThrown,
    )
    this.#doubts = new Doubts(world.clock, () => this.#checkAnew(), world.onThrown)
  }

  /** Begins with the first check. */
  start(): void {
    this.#watch()
  }

  /** Gives up a check that runs, and begins no other. */
  stop(): void {
    this.#stopped.abort()
    this.#disarm()
    this.#doubts.end()
  }

  /** This moment, as a request that arrives now has to name it. */
  get now(): Moment {
    return this.#world.clock.now()
  }

  /** How many requests wait for a new certificate to be signed for. */
  get waiting(): number {
    return this.#doubts.waiting
  }

  /** The verdict by the clocks of this moment. Reading it does nothing: what is over ends by `look`, or by the timer. */
  get verdict(): Verdict {
    return afterTime(this.#verdict, this.now, this.#world.rules)
  }

  /** How long until the next check is due, in milliseconds; 0 while one runs. */
  get nextCheckMs(): number {
    return this.#checks.running === undefined ? Math.max(0, this.#checks.dueInMs) : 0
  }

  /**
   * Looks at the clocks, for a request that is about to go under the verdict: one that is too old ends, with what runs
   * under it, and a wall clock that was set back is a reason to check (VERD-10, VERD-22).
   */
  look(): Verdict {
    const { wallMs } = this.now
    const isSetBack = wallMs < this.#seenWallMs - STEP_MS
    this.#seenWallMs = isSetBack ? wallMs : Math.max(wallMs, this.#seenWallMs)
    this.#become(this.verdict)
    if (isSetBack) this.#demand()
    return this.#verdict
  }

  /**
   * The verdict that a new request is under. It waits for the first one, so far as a check is under way and for fifteen
   * seconds from its arrival, beside only so many others; without a live one it also asks for a check, for those that
   * come later.
   */
  async awaitVerdict(patience: Patience = { since: this.now }): Promise<Verdict> {
    const { running } = this.#checks
    if (this.look() === unjudged && running !== undefined) await this.#awaitFirst(running, patience)
    if (this.look().state !== 'admitted' && this.#checks.restedMs >= limits.minAttestRetryMs) this.#demand()
    return this.#verdict
  }

  /**
   * A connection showed another certificate than a verdict names, as while a platform renews it before it signs anew:
   * waits for a check that begins after this moment and passes, or for the end of the verdict. Gives the verdict that
   * resulted, and undefined when patience ended before, or when too many wait; what waits shares its checks.
   */
  async awaitRenewal(doubted: Admitted, patience: Patience): Promise<Verdict | undefined> {
    const begun = this.now
    const isAnswered = () => isNews(this.#verdict, doubted, begun)
    // The verdict may have been renewed while the connection was made, and nobody tells of that a second time.
    if (!isAnswered()) await this.#doubts.wait(isAnswered, patience)
    const verdict = this.look()
    return isAnswered() ? verdict : undefined
  }

  /** Applies what an administrator, or another replica, has set; it goes before what checks find. */
  stand(standing: Standing): void {
    const before = this.#verdict
    this.#become(afterStanding(before, standing))
    // Whoever is judged again waits for no rest that earlier failures have earned.
    if (!isJudged(before)) this.#demand()
    this.#watch()
  }

  /** The approval that the verdict rests on is withdrawn: a pin, or a policy. */
  withdraw(ground: AttestationError): void {
    this.#become(afterWithdrawal(this.#verdict, ground, this.#world.rules))
    this.#watch()
  }

  /** Somebody wants to know, or expects something else from now on: a check that begins after this moment. */
  async attest(): Promise<void> {
    await this.#checks.running
    await this.#demand()
  }

  async #checkAnew(): Promise<void> {
    // The check that runs may have begun before the certificate changed, and may know of it all the same.
    await this.#checks.running
    if (this.#doubts.waiting > 0) await this.#demand()
  }

  /** Looks now, checks when it is due, and looks again in time. */
  #watch(): void {
    this.look()
    if (this.#checks.dueInMs <= 0) this.#demand()
    this.#disarm()
    if (this.#stopped.signal.aborted) return
    this.#disarm = this.#world.clock.schedule(this.#nextMs(), () => this.#watch())
  }

  #nextMs(): number {
    if (!isJudged(this.#verdict)) return LOOK_MS
    const lifeMs =
      this.#verdict.state === 'admitted' ? lifeLeftMs(this.#verdict, this.now, this.#world.rules) : LOOK_MS
    return Math.max(1, Math.min(LOOK_MS, lifeMs, this.#checks.dueInMs))
  }

  #demand(): Promise<void> {
    const isIdle = this.#stopped.signal.aborted || !isJudged(this.#verdict)
    return isIdle ? Promise.resolve() : this.#checks.run()
  }

  async #check(since: Moment): Promise<boolean> {
    const { onCheck, rules } = this.#world
    const outcome = await this.#attestInTime()
    if (this.#stopped.signal.aborted) return false
    this.#tell(() => onCheck(outcome, isForeign(this.#verdict, outcome)))
    // A check that took longer than a verdict lives has nothing to say any more.
    this.#become(afterTime(afterCheck(this.#verdict, outcome, since, rules), this.now, rules))
    return outcome.kind === 'passed'
  }

  /**
   * One check with an end to patience: whatever a peer, a parser or a policy does, it is not the last one. What comes of
   * a check that was given up is never looked at.
   */
  async #attestInTime(): Promise<Outcome> {
    const { attest, clock } = this.#world
    const given = new AbortController()
    const giveUp = () => given.abort(this.#stopped.signal.reason)
    this.#stopped.signal.addEventListener('abort', giveUp)
    const { promise: late, resolve } = Promise.withResolvers<Outcome>()
    const cancel = clock.schedule(limits.checkMs, () =>
      resolve({ kind: 'unfinished', ground: new UnfinishedFetch('timeout') }),
    )
    try {
      return await Promise.race([attest(given.signal), late])
    } catch (thrown) {
      return outcomeOf(thrown)
    } finally {
      cancel()
      this.#stopped.signal.removeEventListener('abort', giveUp)
      given.abort(new Error('The check is over.'))
    }
  }

  #become(after: Verdict): void {
    const before = this.#verdict
    if (after === before) return
    this.#verdict = after
    this.#tell(() => this.#world.onVerdict(after, before))
    this.#doubts.settle()
  }

  /** What a listener throws changes no verdict, keeps nobody waiting, and ends no process by way of a timer. */
  #tell(listener: () => void): void {
    try {
      listener()
    } catch (thrown) {
      this.#world.onThrown(thrown)
    }
  }

  /** Each holds a client's socket, and a check may take its whole time: what comes beyond does not wait. */
  async #awaitFirst(done: Promise<void>, { since, signal }: Patience): Promise<void> {
    if (this.#newcomers >= limits.maxWaitingRequests || signal?.aborted) return
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const cancel = this.#world.clock.schedule(limits.verdictWaitMs - elapsedMs(since, this.now), resolve)
    signal?.addEventListener('abort', () => resolve(), { once: true })
    this.#newcomers++
    await Promise.race([done, late])
    this.#newcomers--
    cancel()
  }
}

/** Whether a verdict knows more than the one that a request doubts: a check that began before the doubt may not. */
function isNews(verdict: Verdict, doubted: Admitted, begun: Moment): boolean {
  if (verdict.state !== 'admitted') return true
  const isOther = verdict.admission.certFingerprint !== doubted.admission.certFingerprint
  return isOther || (verdict !== doubted && verdict.since.monotonicMs >= begun.monotonicMs)
}
