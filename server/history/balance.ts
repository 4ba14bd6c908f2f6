/** What a workspace has at one moment. */
export interface Balance {
  readonly balanceMicros: bigint
  /** What running requests hold of it. */
  readonly heldMicros: bigint
}
