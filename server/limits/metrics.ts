/** The budgets that may refuse, by whose they are and what they count (LIM-01, LIM-11). */
export const bucketNames = [
  'key_requests',
  'workspace_requests',
  'key_tokens',
  'workspace_tokens',
  'invitations',
  'evidence',
  'sign_in_codes',
  'sign_ins',
  'analytics',
  'console',
] as const

export type BucketName = (typeof bucketNames)[number]

/** What limits tell the operator. */
export interface LimitMetrics {
  /** A request was refused by this one. */
  refused(bucket: BucketName): void
  /** Whether the shared store of the buckets is lost, so that each router counts on its own (LIM-41). */
  lost(isLost: boolean): void
}

/** For rooms that are tested without an operator. */
export const silentLimits: LimitMetrics = { refused() {}, lost() {} }
