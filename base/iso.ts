const SECOND_MS = 1_000
/** Seconds whose text is kept (ours): now, and the ends of what waits. */
const MAX_KEPT = 64

const kept = new Map<number, string>()

/**
 * The text of `Date.toISOString()` for a moment in milliseconds. V8 prints each date anew, which takes 7,000
 * instructions, and moments of one second differ by three digits.
 */
export function isoTime(ms: number): string {
  const second = Math.floor(ms / SECOND_MS)
  let text = kept.get(second)
  if (text === undefined) {
    text = new Date(second * SECOND_MS).toISOString().slice(0, -'000Z'.length)
    if (kept.size === MAX_KEPT) kept.clear()
    kept.set(second, text)
  }
  const rest = Math.trunc(ms - second * SECOND_MS)
  return `${text}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`
}
