import type { Buckets, Taken } from '../limits/buckets.ts'
import { createKnownRates, type KeyRates } from '../limits/key-rates.ts'
import type { AcceptedGeneration } from '../metering/generation.ts'
import type { Applicant } from './applicant.ts'
import type { Caller } from './caller.ts'
import { createJudge, type Judge, type JudgeOptions } from './judge.ts'
import type { FoundKey } from './key-finder.ts'
import { refusalOf } from './refusals.ts'

/** What the gate needs from the world. */
export interface GateOptions extends JudgeOptions {
  readonly buckets: Buckets
}

/** What a request has taken from the buckets before its body was read. */
export interface Reservation {
  readonly rates: KeyRates
  readonly taken: Taken
}

/** The one gate in front of every metered route. */
export interface Gate extends Pick<Judge, 'warm' | 'stop'> {
  /**
   * Asks about a large body before it is read: the key, the credit, the key's spend limit, and the rate buckets, from
   * which it takes. Throws the `ApiError` that nothing in the body could mend; `isFree` says that a body could name a
   * model that costs nothing. What is taken stays taken when the body is refused: reading it was the work.
   */
  reserve(caller: Caller, isFree: boolean): Promise<Reservation>
  /**
   * Takes from the rate buckets, judges key, scope, credit and spend limit and places the hold, durably: from then on
   * there is a generation, which metering ends. Throws `ApiError` when refused and `OutageError` when the database cannot
   * be asked; the buckets are then as before. What was reserved is taken already.
   */
  admit(applicant: Applicant, reserved?: Reservation): Promise<AcceptedGeneration>
  /** Whose a key is, where it was asked about here before; whether it may still be used is not said. */
  ownerOf(keyHash: string): KeyRates | undefined
  forget(keyHash: string): void
}

/** Two are enough unless the key's rates are changed in between; ours. */
const MAX_ATTEMPTS = 10

/**
 * Buckets are taken first and the database is asked in any case: a 402 comes before a 429 (CRED-19). They are
 * taken by the key's rates as last heard, which the same statement confirms: a key that is new here, or whose rates
 * have been changed, goes round once more, and no other request ever costs a second statement.
 */
export function createGate(options: GateOptions): Gate {
  const { buckets, allowOverdraftMicros } = options
  const { judge, warm, stop } = createJudge(options)
  const known = createKnownRates()

  async function admit(
    applicant: Applicant,
    reserved?: Reservation,
    attempts = 1,
  ): Promise<AcceptedGeneration> {
    const { caller, generation } = applicant
    const { keyHash } = caller
    const rates = reserved?.rates ?? known.find(keyHash)
    const taking = reserved?.taken ?? (rates && buckets.take(rates))
    const taken = taking instanceof Promise ? await taking : taking
    let isAdmitted = false
    try {
      const asked = rates && taken && { rates, admit: taken.admits }
      const judged = await judge({ applicant, buckets: asked })
      if (judged.decision !== 'invalid_api_key') caller.identify(judged.rates)
      switch (judged.decision) {
        case 'admitted':
          isAdmitted = true
          return { ...generation, key: judged.rates, rateLimit: taken!.state }
        case 'limits_changed':
          known.learn(keyHash, judged.rates)
          break
        case 'rate_limit_exceeded':
          throw buckets.refuse(taken!.state)
        case 'key_spend_limit_reached':
          throw refusalOf((await caller.find())?.isSpent === false ? 'key_spend_held' : judged.decision)
        default:
          throw refusalOf(judged.decision)
      }
    } finally {
      if (!isAdmitted) await giveBack(rates, taken)
    }
    // The rates were not those of the key; they are known now.
    if (attempts === MAX_ATTEMPTS)
      throw new Error('the limits of a key change faster than a request can be judged')
    return admit(applicant, undefined, attempts + 1)
  }

  async function giveBack(rates: KeyRates | undefined, taken: Taken | undefined): Promise<void> {
    if (rates && taken?.admits) await buckets.giveBack(rates)
  }

  function refuseBroke({ balanceMicros, isSpent }: FoundKey, isFree: boolean): void {
    const isBroke = balanceMicros + BigInt(allowOverdraftMicros()) <= 0n
    if (isBroke && !isFree) throw refusalOf('insufficient_credits')
    if (isSpent) throw refusalOf('key_spend_limit_reached')
  }

  return {
    async reserve(caller, isFree) {
      const key = await caller.require()
      refuseBroke(key, isFree)
      const { rates } = key
      known.learn(caller.keyHash, rates)
      const taken = await buckets.take(rates)
      if (!taken.admits) throw buckets.refuse(taken.state)
      return { rates, taken }
    },
    admit: (applicant, reserved) => admit(applicant, reserved),
    ownerOf: known.find,
    forget: known.forget,
    warm,
    stop,
  }
}
