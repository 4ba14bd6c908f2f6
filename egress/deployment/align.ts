/** How the items of two lists go together. */
export interface Alignment {
  /** For each item after: the place before of the item that it was, or undefined when it is new. */
  readonly origins: readonly (number | undefined)[]
  /** Places before of the items that are gone. */
  readonly gone: readonly number[]
  /** What it takes to bring the items that stay into their order, one after the other, once the others are gone. */
  readonly moves: readonly Move[]
}

/** Takes the item at one place and puts it in at another. */
export interface Move {
  readonly from: number
  readonly to: number
}

/** What an item is known by; undefined where it has nothing of the kind. */
export type KeyOf = (place: 'before' | 'after', index: number) => string | number | undefined

/** Most work that is done to tell a move from an item that is gone and one that is new (ours). */
const MAX_MOVING = 2_000_000

/**
 * Matches two lists of these lengths by one key after the other: the first item of a key goes with the first, the
 * second with the second. Grows no faster than the lists. Where nothing moves, as in a text, an item that would is told
 * as gone and new.
 */
export function align(
  before: number,
  after: number,
  keys: readonly KeyOf[],
  maxMoving = MAX_MOVING,
): Alignment {
  const origins: (number | undefined)[] = Array(after).fill(undefined)
  const isTaken: boolean[] = Array(before).fill(false)
  for (const keyOf of keys) match(origins, isTaken, keyOf)
  const staying = new Set(longestRising(origins))
  const movers = origins.filter((origin) => origin !== undefined && !staying.has(origin)).length
  if (movers * before > maxMoving) {
    for (const [index, origin] of origins.entries()) {
      if (origin !== undefined && !staying.has(origin)) origins[index] = undefined
    }
  }
  const kept = new Set(origins)
  const gone = isTaken.map((_, index) => index).filter((index) => !kept.has(index))
  return { origins, gone, moves: movesOf(origins, staying) }
}

function match(origins: (number | undefined)[], isTaken: boolean[], keyOf: KeyOf): void {
  const places = new Map<string | number, number[]>()
  for (let index = isTaken.length - 1; index >= 0; index--) {
    const key = isTaken[index] ? undefined : keyOf('before', index)
    if (key === undefined) continue
    const others = places.get(key)
    if (others === undefined) places.set(key, [index])
    else others.push(index)
  }
  for (const [index, origin] of origins.entries()) {
    const key = origin === undefined ? keyOf('after', index) : undefined
    const found = key === undefined ? undefined : places.get(key)?.pop()
    if (found === undefined) continue
    origins[index] = found
    isTaken[found] = true
  }
}

/** The most items that can stay where they are among each other: the longest rising run of their places. */
function longestRising(origins: readonly (number | undefined)[]): number[] {
  const ends: number[] = []
  const before = new Map<number, number | undefined>()
  for (const origin of origins) {
    if (origin === undefined) continue
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (ends[middle]! < origin) low = middle + 1
      else high = middle
    }
    before.set(origin, ends[low - 1])
    ends[low] = origin
  }
  const run: number[] = []
  for (let origin = ends.at(-1); origin !== undefined; origin = before.get(origin)) run.push(origin)
  return run.reverse()
}

/** Each item that does not stay is put behind the one that it follows. */
function movesOf(origins: readonly (number | undefined)[], staying: ReadonlySet<number>): Move[] {
  const target = origins.filter((origin) => origin !== undefined)
  if (target.length === staying.size) return []
  const order = target.toSorted((one, other) => one - other)
  const moves: Move[] = []
  for (const [index, origin] of target.entries()) {
    if (staying.has(origin)) continue
    const from = order.indexOf(origin)
    order.splice(from, 1)
    const to = index === 0 ? 0 : order.indexOf(target[index - 1]!) + 1
    order.splice(to, 0, origin)
    moves.push({ from, to })
  }
  return moves
}
