/** A place in a roster, to give it up by. */
export interface Entry<Item> {
  /** Undefined once it is given up. */
  readonly item: Item | undefined
}

/** The same as the roster sees it. */
interface Place<Item> extends Entry<Item> {
  item: Item | undefined
  at: number
}

/**
 * Who is there at the moment, where thousands come and go each second. A `Set` would make new tables all the time, each old
 * one of which points to the next; and when V8 collects what is young, it takes for alive whatever a table that was thrown away
 * still holds, once that one is old itself (docs/performance.md). What has left a roster is held by nothing.
 */
export class Roster<Item> implements Iterable<Item> {
  readonly #places: Place<Item>[] = []

  add(item: Item): Entry<Item> {
    const place = { item, at: this.#places.length }
    this.#places.push(place)
    return place
  }

  /** Again is harmless. */
  remove(entry: Entry<Item>): void {
    const place = entry as Place<Item>
    if (place.item === undefined) return
    place.item = undefined
    const last = this.#places.pop()!
    if (last === place) return
    this.#places[place.at] = last
    last.at = place.at
  }

  get size(): number {
    return this.#places.length
  }

  /** Whether there is one that passes, which must change nothing here. */
  some(test: (item: Item) => boolean): boolean {
    return this.#places.some(({ item }) => item !== undefined && test(item))
  }

  /** Those who are there now, in no order; they may leave meanwhile, and whoever comes meanwhile is not among them. */
  *[Symbol.iterator](): Iterator<Item> {
    for (const { item } of [...this.#places]) if (item !== undefined) yield item
  }
}
