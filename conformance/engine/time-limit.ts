import { AssertionError } from './assert.ts'
import type { Call } from './http/call.ts'

/** An answer hangs when it has been waited for as long as this part of a scenario's time (ours). */
const HANGING_PART = 20

/** Nobody waits long for an answer that comes within this time; a busy machine may take as long (ours). */
const SOON_MS = 250

/** A scenario whose time is up. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
  readonly #limitMs: number

  constructor(limitMs: number) {
    super(`the scenario did not end within ${limitMs} ms`)
    this.#limitMs = limitMs
  }

  /**
   * Whose time it was: the product's failure where most of it went by in waiting for its answers, or one of them has not
   * ended. Whoever asks again and again is met with one under way at any time, which says nothing.
   */
  blame(calls: readonly Call[]): Error {
    const late = calls.filter(({ exchange }) => exchange.endMs > SOON_MS)
    const waitedMs = late.reduce((sum, { exchange }) => sum + exchange.endMs, 0)
    const isHanging = calls.some(
      ({ isOver, exchange }) => !isOver && exchange.endMs > this.#limitMs / HANGING_PART,
    )
    if (waitedMs < this.#limitMs / 2 && !isHanging) return this
    const message = `${this.message}: ${Math.round(waitedMs)} ms went by in waiting for ${late.length} answers`
    return new AssertionError({ message })
  }
}

/** Waits for a run at most so long, and until it is stopped. Throws `OutOfTime`, or why it was stopped. */
export async function within(run: Promise<void>, limitMs: number, stopped?: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new OutOfTime(limitMs)), limitMs)
  const stop = () => reject(stopped?.reason)
  stopped?.addEventListener('abort', stop, { once: true })
  if (stopped?.aborted) stop()
  try {
    await Promise.race([run, promise])
  } finally {
    clearTimeout(timer)
    stopped?.removeEventListener('abort', stop)
  }
}
