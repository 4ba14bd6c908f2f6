import { within } from '../store/retry.ts'
import { singleFlight } from './single-flight.ts'

/** How long a value is waited for, and how old one may be in its place; milliseconds. */
export interface Latest {
  readonly waitMs: number
  readonly oldestMs: number
  /** A clock that never steps back. */
  readonly now?: () => number
}

/**
 * Asks for a value, and gives the last one where that takes too long; whoever asks next finds what came meanwhile.
 * Throws where asking fails, and where the last one is too old or there is none.
 */
export function latest<Value>(
  ask: () => Promise<Value>,
  { waitMs, oldestMs, now = () => performance.now() }: Latest,
): () => Promise<Value> {
  let last: { readonly value: Value; readonly atMs: number } | undefined
  const read = singleFlight(async () => {
    try {
      const value = await ask()
      last = { value, atMs: now() }
      return value
    } catch (error) {
      last = undefined
      throw error
    }
  })
  return async () => {
    try {
      return await within(read(), waitMs)
    } catch (error) {
      if (last === undefined || now() - last.atMs > oldestMs) throw error
      return last.value
    }
  }
}
