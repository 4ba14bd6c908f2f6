/** Bucket numbers and how many values each holds: what one process can send to another. */
export type Buckets = readonly (readonly [bucket: number, count: number])[]

/** The upper bound of a bucket is this much above that of the one before: what a percentile may be off by. */
const STEP = 1.02
const LOG_STEP = Math.log(STEP)

/** Times in buckets that grow with them, so that millions take no more memory than thousands. */
export class Histogram {
  readonly #counts = new Map<number, number>()
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Counts a time in microseconds; one below a microsecond counts as one. */
  record(micros: number): void {
    const bucket = micros <= 1 ? 0 : Math.ceil(Math.log(micros) / LOG_STEP)
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1)
    this.#count++
  }

  /** Adds what another process has counted. */
  add(buckets: Buckets): void {
    for (const [bucket, count] of buckets) {
      this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count)
      this.#count += count
    }
  }

  buckets(): Buckets {
    return [...this.#counts]
  }

  /** Milliseconds that such a part of all times stays within; undefined where none was counted. */
  percentileMs(part: number): number | undefined {
    let left = Math.max(1, Math.ceil(this.#count * part))
    for (const [bucket, count] of [...this.#counts].sort(([one], [other]) => one - other)) {
      left -= count
      if (left <= 0) return STEP ** bucket / 1_000
    }
    return undefined
  }
}
