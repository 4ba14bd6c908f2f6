/** A mail that was caught, as people read it. */
export interface CaughtMail {
  readonly id: number
  readonly receivedAt: Date
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
}
