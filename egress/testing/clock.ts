import type { Clock, Moment } from '../clock.ts'

/** A clock that stands still until it is told otherwise. */
export class TestClock implements Clock {
  #wallMs = Date.parse('2030-01-01T00:00:00Z')
  #monotonicMs = 0
  #tasks: { readonly atMs: number; readonly task: () => void }[] = []

  now(): Moment {
    return { wallMs: this.#wallMs, monotonicMs: this.#monotonicMs }
  }

  schedule(delayMs: number, task: () => void): () => void {
    const entry = { atMs: this.#monotonicMs + delayMs, task }
    this.#tasks.push(entry)
    return () => {
      this.#tasks = this.#tasks.filter((each) => each !== entry)
    }
  }

  /** Lets time pass on both clocks; tasks run when they are due, and what they start may go on. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#monotonicMs + ms
    await settle()
    for (;;) {
      const next = this.#tasks.toSorted((one, other) => one.atMs - other.atMs)[0]
      if (next === undefined || next.atMs > endMs) break
      this.#advance(Math.max(0, next.atMs - this.#monotonicMs))
      this.#tasks = this.#tasks.filter((each) => each !== next)
      next.task()
      await settle()
    }
    this.#advance(endMs - this.#monotonicMs)
    await settle()
  }

  /** The machine sleeps: the monotonic clock and all timers stand still. */
  sleep(ms: number): void {
    this.#wallMs += ms
  }

  /** Somebody sets the wall clock. */
  setBack(ms: number): void {
    this.#wallMs -= ms
  }

  #advance(ms: number): void {
    this.#wallMs += ms
    this.#monotonicMs += ms
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}
