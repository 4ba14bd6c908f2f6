import type { Buckets, Taken } from '../limits/buckets.ts'
import { createKnownLimits, type KeyLimits } from '../limits/key-limits.ts'
import type { Admitted, Candidate } from './candidate.ts'
import { createJudge, type Judge, type JudgeOptions } from './judge.ts'
import { refusalOf } from './verdict.ts'

/** What admission needs from the world. */
export interface AdmissionOptions extends JudgeOptions {
  readonly buckets: Buckets
}

/** The one gate in front of every metered route. */
export interface Admission extends Pick<Judge, 'warm' | 'stop'> {
  /**
   * Takes from the rate buckets, judges key, scope, credit and spend limit and places the hold, durably. Throws
   * `ApiError` when refused and `OutageError` when the database cannot be asked; the buckets are then as before.
   */
  admit(candidate: Candidate): Promise<Admitted>
}

/** Two are enough unless the key's limits are changed in between; ours. */
const MAX_ATTEMPTS = 10

/**
 * Buckets are taken first and the database is asked in any case: a 402 comes before a 429 (decisions, 5). They are
 * taken by the key's limits as last heard, which the same statement confirms: a key that is new here, or whose limits
 * have been changed, goes round once more, and no other request ever costs a second statement.
 */
export function createAdmission(options: AdmissionOptions): Admission {
  const { buckets } = options
  const { judge, warm, stop } = createJudge(options)
  const known = createKnownLimits()

  /** Resolves undefined when the limits were not those of the key; they are known then. */
  async function attempt(candidate: Candidate): Promise<Admitted | undefined> {
    const { keyHash } = candidate
    const limits = known.find(keyHash)
    const taken = limits && (await buckets.take(limits))
    let isAdmitted = false
    try {
      const asked = limits && taken && { limits, admit: taken.admits }
      const judgement = await judge({ candidate, buckets: asked })
      switch (judgement.verdict) {
        case 'admitted':
          isAdmitted = true
          return { ...judgement.limits, rateLimit: taken!.state }
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

  return {
    async admit(candidate) {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const admitted = await attempt(candidate)
        if (admitted) return admitted
      }
      throw new Error('the limits of a key change faster than a request can be judged')
    },
    warm,
    stop,
  }
}
