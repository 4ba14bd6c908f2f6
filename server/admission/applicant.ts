import type { Settling } from '../metering/create-generation.ts'
import type { AskedGeneration } from '../metering/generation.ts'
import type { Caller } from './caller.ts'

/** A request that asks to be accepted. */
export interface Applicant {
  readonly caller: Pick<Caller, 'keyHash' | 'identify' | 'find'>
  /** What it becomes when it is. */
  readonly generation: AskedGeneration
  /** The most that it can cost, whichever model serves it; see `holdMicros`. */
  readonly holdMicros: number
  /** Counts it among those that wait for the database while it is settled. */
  readonly settling?: Settling
}
