import type { AskedGeneration } from '../metering/generation.ts'

/** Whose request it is, for the log; whether the key may be used is another question. */
export interface Caller {
  readonly workspaceId: string
  readonly keyId: string
}

/** Told whose a request is as soon as that is known. */
export type Identify = (caller: Caller) => void

/** A request that asks to be accepted. */
export interface Applicant {
  /** SHA-256 of the key's plaintext, in hex; see `parseAuthorization`. */
  readonly keyHash: string
  /** What it becomes when it is. */
  readonly generation: AskedGeneration
  /** The most that it can cost, whichever model serves it; see `holdMicros`. */
  readonly holdMicros: number
  /** Told whose the key is, whatever else the database says of the request. */
  readonly identify: Identify
}
