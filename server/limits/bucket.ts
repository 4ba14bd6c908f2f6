/**
 * Units in one request or token. A minute has as many milliseconds, so each of these refills a whole number of units:
 * nothing is rounded, however often a bucket is looked at.
 */
export const UNITS = 60_000

/** The most that a minute may allow (ours): its units are still counted exactly. */
export const MAX_PER_MINUTE = 100_000_000_000

/** A one-minute bucket with continuous refill; what it holds is known for one moment only (LIM-21). */
export interface Bucket {
  /** In units; below zero it is in debt. */
  readonly level: number
  readonly atMs: number
}

/** The level of a full bucket, in units. */
export function fullLevel(perMinute: number): number {
  return perMinute * UNITS
}

/**
 * What a bucket holds now. A clock that steps back refills nothing (L-04); the refill goes on from there, as waiting
 * for the clock to catch up could refuse for hours.
 */
export function levelAt(bucket: Bucket | undefined, perMinute: number, nowMs: number): number {
  if (bucket === undefined) return fullLevel(perMinute)
  const elapsedMs = Math.max(0, nowMs - bucket.atMs)
  return Math.min(fullLevel(perMinute), bucket.level + elapsedMs * perMinute)
}

/** Milliseconds until a bucket holds so many units; 0 when it does already. */
export function waitMs(level: number, units: number, perMinute: number): number {
  return Math.max(0, Math.ceil((units - level) / perMinute))
}
