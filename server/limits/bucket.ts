const MS_PER_MINUTE = 60_000

/** A one-minute bucket with continuous refill; what it holds is known for one moment only (decisions, 7). */
export interface Bucket {
  readonly level: number
  readonly atMs: number
}

/** A bucket that nobody has taken from. */
export function fullBucket(perMinute: number, nowMs: number): Bucket {
  return { level: perMinute, atMs: nowMs }
}

/** The bucket as it is now. A clock that steps back refills nothing (L-04). */
export function refill({ level, atMs }: Bucket, perMinute: number, nowMs: number): Bucket {
  const elapsedMs = Math.max(0, nowMs - atMs)
  return {
    level: Math.min(perMinute, level + (elapsedMs * perMinute) / MS_PER_MINUTE),
    atMs: Math.max(atMs, nowMs),
  }
}

/** Milliseconds until the bucket holds `amount`; 0 when it does already. */
export function waitMs({ level }: Bucket, amount: number, perMinute: number): number {
  return Math.max(0, Math.ceil(((amount - level) * MS_PER_MINUTE) / perMinute))
}
