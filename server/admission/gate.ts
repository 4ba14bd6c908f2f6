import type { Buckets, Taken } from '../limits/buckets.ts'
import { createKnownLimits, type KeyLimits } from '../limits/key-limits.ts'
import type { AcceptedGeneration } from '../metering/generation.ts'
import type { Applicant, Identify } from './applicant.ts'
import { createJudge, type Judge, type JudgeOptions } from './judge.ts'
import { createStandings, type Standing } from './standing.ts'
import { refusalOf } from './verdict.ts'

/** What the gate needs from the world. */
export interface GateOptions extends JudgeOptions {
  readonly buckets: Buckets
}

/** What a request has taken from the buckets before its body was read. */
export interface Reservation {
  readonly limits: KeyLimits
  readonly taken: Taken
}

/** The one gate in front of every metered route. */
export interface Gate extends Pick<Judge, 'warm' | 'stop'> {
  /**
   * Asks about a large body before it is read: the key, the credit, the key's spend limit, and the rate buckets, from
   * which it takes. Throws the `ApiError` that nothing in the body could mend; `isFree` says that a body could name a
   * model that costs nothing. What is taken stays taken when the body is refused: reading it was the work.
   */
  reserve(keyHash: string, isFree: boolean, identify: Identify): Promise<Reservation>
  /**
   * Takes from the rate buckets, judges key, scope, credit and spend limit and places the hold, durably: from then on
   * there is a generation, which metering ends. Throws `ApiError` when refused and `OutageError` when the database cannot
   * be asked; the buckets are then as before. What was reserved is taken already.
   */
  admit(applicant: Applicant, reserved?: Reservation): Promise<AcceptedGeneration>
}

/** Two are enough unless the key's limits are changed in between; ours. */
const MAX_ATTEMPTS = 10

/**
 * Buckets are taken first and the database is asked in any case: a 402 comes before a 429 (CRED-19). They are
 * taken by the key's limits as last heard, which the same statement confirms: a key that is new here, or whose limits
 * have been changed, goes round once more, and no other request ever costs a second statement.
 */
export function createGate(options: GateOptions): Gate {
  const { buckets, allowOverdraftMicros } = options
  const findStanding = createStandings(options.sql)
  const { judge, warm, stop } = createJudge(options)
  const known = createKnownLimits()

  /** Resolves undefined when the limits were not those of the key; they are known then. */
  async function attempt(
    applicant: Applicant,
    reserved?: Reservation,
  ): Promise<AcceptedGeneration | undefined> {
    const { keyHash, generation, identify } = applicant
    const limits = reserved?.limits ?? known.find(keyHash)
    const taken = reserved?.taken ?? (limits && (await buckets.take(limits)))
    let isAdmitted = false
    try {
      const asked = limits && taken && { limits, admit: taken.admits }
      const judgement = await judge({ applicant, buckets: asked })
      if (judgement.verdict !== 'invalid_api_key') identify(judgement.limits)
      switch (judgement.verdict) {
        case 'admitted':
          isAdmitted = true
          return { ...generation, key: judgement.limits, rateLimit: taken!.state }
        case 'limits_changed':
          known.learn(keyHash, judgement.limits)
          return undefined
        case 'rate_limit_exceeded':
          throw buckets.refuse(taken!.state)
        case 'api_key_revoked':
        case 'api_key_expired':
          // Whoever goes on with it touches no bucket of its workspace any more.
          known.forget(keyHash)
          throw refusalOf(judgement.verdict)
        case 'key_spend_limit_reached':
          throw refusalOf(
            (await findStanding(keyHash))?.isSpent === false ? 'key_spend_held' : judgement.verdict,
          )
        default:
          throw refusalOf(judgement.verdict)
      }
    } finally {
      if (!isAdmitted) await giveBack(limits, taken)
    }
  }

  async function giveBack(limits: KeyLimits | undefined, taken: Taken | undefined): Promise<void> {
    if (limits && taken?.admits) await buckets.giveBack(limits)
  }

  function refuseStanding(standing: Standing | undefined, isFree: boolean): asserts standing {
    if (standing === undefined) throw refusalOf('invalid_api_key')
    if (standing.state === 'revoked') throw refusalOf('api_key_revoked')
    if (standing.state === 'expired') throw refusalOf('api_key_expired')
    const isBroke = standing.balanceMicros + BigInt(allowOverdraftMicros()) <= 0n
    if (isBroke && !isFree) throw refusalOf('insufficient_credits')
    if (standing.isSpent) throw refusalOf('key_spend_limit_reached')
  }

  return {
    async reserve(keyHash, isFree, identify) {
      const standing: Standing | undefined = await findStanding(keyHash)
      if (standing) identify(standing.limits)
      refuseStanding(standing, isFree)
      const { limits } = standing
      known.learn(keyHash, limits)
      const taken = await buckets.take(limits)
      if (!taken.admits) throw buckets.refuse(taken.state)
      return { limits, taken }
    },
    async admit(applicant, reserved) {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const accepted = await attempt(applicant, attempts === 0 ? reserved : undefined)
        if (accepted) return accepted
      }
      throw new Error('the limits of a key change faster than a request can be judged')
    },
    warm,
    stop,
  }
}
