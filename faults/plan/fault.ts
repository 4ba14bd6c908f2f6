/** What is broken, and who suffers it. */
export type FaultKind =
  | 'kill'
  | 'pause'
  | 'cut-database'
  | 'stall-commits'
  | 'disk-full'
  | 'clock'
  | 'rotate'
  | 'withdraw'
  | 'fail-over'

/** One fault of an episode, as the seed has it. */
export interface Fault {
  readonly kind: FaultKind
  /** A seat, or what is rotated. */
  readonly subject: string
  /** After the fault before it was begun. */
  readonly afterMs: number
  /** Until it is mended. */
  readonly lastsMs: number
  /** Of a clock. */
  readonly stepMs?: number
}

/** A fault as it happened. */
export interface Happened {
  readonly fault: Fault
  /** By `performance.now()`. */
  readonly atMs: number
  /** Why it could not be planted: what it needs was broken already. */
  readonly missed: string | undefined
}

/** For people: what happens to whom, and for how long. */
export function describeFault({ kind, subject, lastsMs, stepMs }: Fault): string {
  const step = stepMs === undefined ? '' : ` by ${stepMs} ms`
  return `${kind} ${subject}${step} for ${lastsMs} ms`
}
