/** Something a person can act on: what failed, what to read and what to do. */
export class StartFailure extends Error {
  /** Lines below the message: the end of a log, advice. */
  readonly details: readonly string[]

  constructor(message: string, details: readonly string[] = [], cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.details = details
  }
}

/** The person has had enough: not an error. */
export class Interrupted extends Error {}
