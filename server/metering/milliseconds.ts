/** The largest that its column takes: 24 days. */
const MAX_MS = 2_147_483_647

/** A duration as it is recorded: whole milliseconds, never negative, whatever two clocks made of it. */
export function toMilliseconds(duration: number): number {
  if (Number.isNaN(duration)) return 0
  return Math.min(MAX_MS, Math.max(0, Math.round(duration)))
}
