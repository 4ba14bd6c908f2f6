import type { Found } from '../engine/discover.ts'
import { type Origin, originOf } from '../engine/rules.ts'

/** What selects scenarios. */
export interface Selection {
  readonly grep?: string
  readonly origin?: Origin
}

/** The scenarios that are wanted. */
export function select<One extends Pick<Found, 'scenario'>>(
  found: readonly One[],
  { grep, origin }: Selection,
): readonly One[] {
  return found.filter(({ scenario: { id, title, rules } }) => {
    if (origin !== undefined && originOf(rules) !== origin) return false
    return grep === undefined || [id, title, ...rules].some((text) => text.includes(grep))
  })
}
