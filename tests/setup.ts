import { beforeEach, vi } from 'vitest'
import { describeNeed, isMet, needs } from './needs.ts'

/** How long a condition is waited for where a test names no time itself: it only guards against hanging. */
const PATIENCE_MS = 30_000

/** The form that both of vitest's waits have. */
type Wait = <Result>(
  condition: () => Result,
  options?: number | { readonly timeout?: number; readonly interval?: number },
) => unknown

// Vitest gives up after a second, which a busy machine needs for less than a test of ours.
vi.waitFor = patient(vi.waitFor as Wait) as typeof vi.waitFor
vi.waitUntil = patient(vi.waitUntil as Wait) as typeof vi.waitUntil

function patient(wait: Wait): Wait {
  return (condition, options = {}) =>
    wait(condition, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options })
}

// Where a test may not be left out for want of something, it says of what.
beforeEach(({ task }) => {
  const missing = needs.find((need) => task.tags?.includes(need.name) && !isMet(need))
  if (missing) throw new Error(`This test needs ${describeNeed(missing)}.`)
})
