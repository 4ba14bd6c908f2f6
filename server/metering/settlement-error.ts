/** Why an answer must not end cleanly: its end is not on record as the client would see it. */
export type SettlementFailure = 'unavailable' | 'reaped' | 'refused'

const messages: Record<SettlementFailure, string> = {
  unavailable: 'the database is away; the generation will be settled as aborted',
  reaped: 'the lease had lapsed and another router has settled the generation',
  refused: 'the database refuses the record; the generation will be settled as aborted',
}

/** A generation could not be settled as it ended (CRED-33). */
export class SettlementError extends Error {
  override readonly name = 'SettlementError'
  readonly reason: SettlementFailure

  constructor(reason: SettlementFailure, cause?: unknown) {
    super(messages[reason], cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}
