import type { Labels, Point } from '#base/metrics.ts'

/** What a label says; undefined where the series has none of that name. */
export type Told = string | number | undefined

/** One value for each name, in their order. */
export type Values<Names extends readonly string[]> = { readonly [Place in keyof Names]: Told }

interface Series<Value> {
  readonly labels: Labels
  readonly value: Value
}

/** Where the values so far lead to. */
interface Branch<Value> {
  readonly next: Map<Told, Branch<Value>>
  value: Value | undefined
}

/**
 * All series of one metric. A series is made at its first use and never goes, so labels must come from closed lists:
 * ids of the configuration, codes of the contract, never anything that a caller has written.
 */
export class Family<const Names extends readonly string[], Value> {
  readonly #names: Names
  readonly #create: () => Value
  readonly #root: Branch<Value> = { next: new Map(), value: undefined }
  readonly #series: Series<Value>[] = []

  constructor(names: Names, create: () => Value) {
    this.#names = names
    this.#create = create
  }

  /**
   * The value of these labels. Label by label, as each text is known to V8 already: a key that is put together for all
   * of them is made, hashed and thrown away for each request.
   */
  of(...values: Values<Names>): Value {
    let branch = this.#root
    for (let place = 0; place < values.length; place++) {
      const value = values[place]
      let next = branch.next.get(value)
      if (next === undefined) {
        next = { next: new Map(), value: undefined }
        branch.next.set(value, next)
      }
      branch = next
    }
    branch.value ??= this.#begin(values)
    return branch.value
  }

  /** What each series reads, under its labels and those of the reading. */
  read(pointsOf: (value: Value) => readonly Point[]): Point[] {
    return this.#series.flatMap(({ labels, value }) =>
      pointsOf(value).map((point) => ({ ...point, labels: { ...labels, ...point.labels } })),
    )
  }

  #begin(values: readonly Told[]): Value {
    const told = this.#names.flatMap((name, place) => {
      const value = values[place]
      return value === undefined ? [] : [[name, String(value)] as const]
    })
    const series = { labels: Object.fromEntries(told), value: this.#create() }
    this.#series.push(series)
    return series.value
  }
}
