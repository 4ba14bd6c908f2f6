/** Where a page of a list lies: at an end of all, or beside a row. */
export type PagePlace<Place> = 'first' | 'last' | { readonly after: Place } | { readonly before: Place }

/** Some rows of a list, and where it goes on in either direction; undefined where it ends. */
export interface Page<Row, Place> {
  readonly rows: readonly Row[]
  /** Its first row, when there are rows before it. */
  readonly before: Place | undefined
  /** Its last row, when there are rows after it. */
  readonly after: Place | undefined
}

/** How a list is told of a row. */
interface Telling<Read, Row, Place> {
  readonly toRow: (read: Read) => Row
  readonly placeOf: (read: Read) => Place
}

/** Whether a page is read from its end. */
export function isBackward(place: PagePlace<unknown>): boolean {
  return place === 'last' || (typeof place === 'object' && 'before' in place)
}

/** The row beside which a page lies; undefined at an end. */
export function neighbourOf<Place>(place: PagePlace<Place>): Place | undefined {
  if (typeof place === 'string') return undefined
  return 'after' in place ? place.after : place.before
}

/** Makes a page of what was read for it: one row more than it has, if there are so many, nearest first. */
export function toPage<Read, Row, Place>(
  read: readonly Read[],
  { place, limit }: { readonly place: PagePlace<Place>; readonly limit: number },
  { toRow, placeOf }: Telling<Read, Row, Place>,
): Page<Row, Place> {
  const isReversed = isBackward(place)
  const hasMore = read.length > limit
  const near = read.slice(0, limit)
  const rows = isReversed ? near.toReversed() : near
  const [first, last] = [rows[0], rows.at(-1)]
  const isBeside = typeof place === 'object'
  return {
    rows: rows.map(toRow),
    before: first && (isReversed ? hasMore : isBeside) ? placeOf(first) : undefined,
    after: last && (isReversed ? isBeside : hasMore) ? placeOf(last) : undefined,
  }
}
