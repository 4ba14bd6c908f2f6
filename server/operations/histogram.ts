import type { Point } from '#base/metrics.ts'

/** Counts values by size. Recording one is a few additions: no allocation, no look-up by attributes. */
export class Histogram {
  /** Upper bounds, ascending, each inclusive. */
  readonly boundaries: readonly number[]
  /** One more than there are boundaries: the last counts what is larger than all of them. */
  readonly counts: number[]
  count = 0
  sum = 0

  constructor(boundaries: readonly number[]) {
    this.boundaries = boundaries
    this.counts = Array<number>(boundaries.length + 1).fill(0)
  }

  record(value: number): void {
    let place = 0
    while (place < this.boundaries.length && value > this.boundaries[place]!) place++
    this.counts[place]!++
    this.count++
    this.sum += value
  }

  /** As it is published: each bucket counts what is not above its boundary `le`. */
  points(): Point[] {
    let below = 0
    const buckets = this.counts.map((count, place) => {
      below += count
      return { part: '_bucket', value: below, labels: { le: String(this.boundaries[place] ?? '+Inf') } }
    })
    return [{ part: '_count', value: this.count }, { part: '_sum', value: this.sum }, ...buckets]
  }
}

/** A number that only grows. */
export class Counter {
  value = 0

  add(amount = 1): void {
    this.value += amount
  }
}
