import type { Random } from '../../conformance/engine/random.ts'

/** Things and how often each is to come, beside the others. */
export type Weighted<T> = readonly (readonly [weight: number, item: T])[]

/** One of them. */
export function pickWeighted<T>(random: Random, table: Weighted<T>): T {
  let place = random.below(table.reduce((sum, [weight]) => sum + weight, 0))
  for (const [weight, item] of table) {
    place -= weight
    if (place < 0) return item
  }
  throw new Error('There is nothing to pick from.')
}
