/** A figure that was taken several times. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** The middle of several figures, and how far they reach; throws where there is none. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('There is no middle of nothing.')
  const sorted = values.toSorted((one, other) => one - other)
  const half = sorted.length / 2
  return {
    median: (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2,
    least: sorted[0]!,
    most: sorted.at(-1)!,
  }
}

/** Half of how far the figures lie apart: what a median may be off by, as far as the run itself shows. */
export function noiseOf({ least, most }: Spread): number {
  return (most - least) / 2
}

/** One figure over another, round by round: what drifts, drifts for both. Rounds that only one has are left out. */
export function ratios(above: readonly number[], below: readonly number[]): number[] {
  return pairs(above, below).map(([one, other]) => one / other)
}

/** How much more one figure is than another, round by round. */
export function differences(one: readonly number[], other: readonly number[]): number[] {
  return pairs(one, other).map(([left, right]) => left - right)
}

function pairs(one: readonly number[], other: readonly number[]): [number, number][] {
  return Array.from({ length: Math.min(one.length, other.length) }, (_, round) => [
    one[round]!,
    other[round]!,
  ])
}
