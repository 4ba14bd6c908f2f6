import { UsageError } from '#base/command.ts'
import type { Found } from '../engine/discover.ts'
import { isRuleId, type Origin, originOf } from '../engine/rules.ts'

/** What selects scenarios. */
export interface Selection {
  /** Texts of which an id, a title or a rule holds one. */
  readonly grep?: readonly string[]
  /** Rules for which a scenario counts. */
  readonly rule?: readonly string[]
  readonly origin?: Origin
}

/** The scenarios that are wanted. Throws a `UsageError` for a rule that there is not. */
export function select<One extends Pick<Found, 'scenario'>>(
  found: readonly One[],
  { grep, rule, origin }: Selection,
): readonly One[] {
  const unknown = rule?.find((one) => !isRuleId(one))
  if (unknown !== undefined) throw new UsageError(`There is no rule ${unknown}.`)
  return found.filter(({ scenario: { id, title, rules } }) => {
    if (origin !== undefined && originOf(rules) !== origin) return false
    if (rule !== undefined && !rules.some((own) => rule.includes(own))) return false
    return grep === undefined || [id, title, ...rules].some((text) => grep.some((one) => text.includes(one)))
  })
}
