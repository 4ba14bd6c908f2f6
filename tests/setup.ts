import { beforeEach, vi } from 'vitest'
import { describeNeed, isMet, needs } from './needs.ts'

/** How long a condition is waited for at least: a ceiling guards against hanging alone. */
const PATIENCE_MS = 30_000

/** The form that both of vitest's waits have. */
type Wait = <Result>(
  condition: () => Result,
  options?: number | { readonly timeout?: number; readonly interval?: number },
) => unknown

// Vitest gives up after a second, which a busy machine needs for less than a test of ours. Where a time is promised, a
// test measures it.
vi.waitFor = patient(vi.waitFor as Wait) as typeof vi.waitFor
vi.waitUntil = patient(vi.waitUntil as Wait) as typeof vi.waitUntil

function patient(wait: Wait): Wait {
  return (condition, options = {}) => {
    const { timeout = 0, ...others } = typeof options === 'number' ? { timeout: options } : options
    return wait(condition, { ...others, timeout: Math.max(timeout, PATIENCE_MS) })
  }
}

// Where a test may not be left out for want of something, it says of what.
beforeEach(({ task }) => {
  const missing = needs.find((need) => task.tags?.includes(need.name) && !isMet(need))
  if (missing) throw new Error(`This test needs ${describeNeed(missing)}.`)
})
