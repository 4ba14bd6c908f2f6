/** What tells the series of one metric apart, by OpenTelemetry's attribute names. */
export type Labels = Readonly<Record<string, string>>

/** One series of a metric. */
export interface Series<Value> {
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

  all(): Iterable<Series<Value>> {
    return this.#series.values()
  }
}
