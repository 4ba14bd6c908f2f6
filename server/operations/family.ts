import type { Labels, Point } from '#base/metrics.ts'

interface Series<Value> {
  readonly labels: Labels
  readonly value: Value
}

/**
 * All series of one metric. A series is made at its first use and never goes, so labels must come from closed lists:
 * ids of the configuration, codes of the contract, never anything that a caller has written.
 */
export class Family<Value> {
  readonly #series = new Map<string, Series<Value>>()
  readonly #create: () => Value

  constructor(create: () => Value) {
    this.#create = create
  }

  /** The value of these labels; all calls of one family name them in the same order. */
  of(labels: Labels): Value {
    const key = Object.values(labels).join('\n')
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { labels, value: this.#create() }
      this.#series.set(key, series)
    }
    return series.value
  }

  /** What each series reads, under its labels and those of the reading. */
  read(pointsOf: (value: Value) => readonly Point[]): Point[] {
    return [...this.#series.values()].flatMap(({ labels, value }) =>
      pointsOf(value).map((point) => ({ ...point, labels: { ...labels, ...point.labels } })),
    )
  }
}
