import type { Found } from '../engine/discover.ts'
import { type Origin, originOf } from '../engine/rules.ts'

/** What selects scenarios. */
export interface Selection {
  /** Texts of which an id, a title or a rule holds one. */
  readonly grep?: readonly string[]
  /** Rules for which a scenario counts. */
  readonly rule?: readonly string[]
  readonly origin?: Origin
}

/** The scenarios that are wanted. */
export function select<One extends Pick<Found, 'scenario'>>(
  found: readonly One[],
  { grep, rule, origin }: Selection,
): readonly One[] {
  return found.filter(({ scenario: { id, title, rules } }) => {
    if (origin !== undefined && originOf(rules) !== origin) return false
    if (rule !== undefined && !rules.some((own) => rule.includes(own))) return false
    return grep === undefined || [id, title, ...rules].some((text) => grep.some((one) => text.includes(one)))
  })
}
