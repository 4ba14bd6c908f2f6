import { Histogram } from '../statistics/histogram.ts'
import { nowMicros } from '../wire/clock.ts'
import type { Report } from './order.ts'

/** Counts what the clients of one process see, between two moments. */
export class Counter {
  #since = nowMicros()
  #requests = 0
  #failed = 0
  #lost = 0
  #chunks = 0
  #latency = new Histogram()
  #firstByte = new Histogram()
  #chunkDelay = new Histogram()
  #complaint: string | undefined
  /** Not of the time between: how many are open right now. */
  open = 0

  /** Forgets what was before. */
  begin(): void {
    this.#since = nowMicros()
    this.#requests = this.#failed = this.#lost = this.#chunks = 0
    this.#latency = new Histogram()
    this.#firstByte = new Histogram()
    this.#chunkDelay = new Histogram()
    this.#complaint = undefined
  }

  ended(micros: number): void {
    this.#requests++
    this.#latency.record(micros)
  }

  refused(complaint: string): void {
    this.#failed++
    this.#complaint ??= complaint
  }

  lost(complaint: string): void {
    this.#lost++
    this.#complaint ??= complaint
  }

  began(micros: number): void {
    this.#firstByte.record(micros)
  }

  /** A chunk that was under way for so long; undefined where nobody knows. */
  chunk(micros: number | undefined): void {
    this.#chunks++
    if (micros !== undefined) this.#chunkDelay.record(micros)
  }

  report(): Report {
    return {
      seconds: (nowMicros() - this.#since) / 1e6,
      requests: this.#requests,
      failed: this.#failed,
      lost: this.#lost,
      chunks: this.#chunks,
      open: this.open,
      latency: this.#latency.buckets(),
      firstByte: this.#firstByte.buckets(),
      chunkDelay: this.#chunkDelay.buckets(),
      complaint: this.#complaint,
    }
  }
}
