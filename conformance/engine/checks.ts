import { AsyncLocalStorage } from 'node:async_hooks'
import type { RuleId } from '#contract/rules'

/** What the assertions of one scenario have shown so far, by rule. */
export interface Checks {
  /** How many of a rule's held. */
  readonly held: Map<RuleId, number>
}

/** Where a flow of a scenario stands: what is asserted there counts for `rules`. */
interface Place {
  readonly scenario: readonly RuleId[]
  readonly checks: Checks
  rules: readonly RuleId[]
}

const places = new AsyncLocalStorage<Place>()
const failed = new WeakMap<Error, readonly RuleId[]>()

/**
 * Runs a scenario; each assertion in it is written into `checks`. Where it names the rules of its assertions those
 * before the first name are preconditions, which show none; else all of them show all of its rules.
 */
export function checking<T>(
  { rules, isNaming }: { readonly rules: readonly RuleId[]; readonly isNaming: boolean },
  checks: Checks,
  act: () => Promise<T>,
): Promise<T> {
  return places.run({ scenario: rules, checks, rules: isNaming && rules.length > 1 ? [] : rules }, act)
}

/**
 * Says which rules the assertions from here on show, until it says others. In flows that run side by side each says it
 * within `showing`.
 */
export function shows(...rules: readonly RuleId[]): void {
  const place = places.getStore()
  if (place === undefined) return
  refuseStrangers(rules, place)
  place.rules = rules
}

/** Runs a part of a scenario whose assertions show these rules. */
export function showing<T>(rules: readonly RuleId[], act: () => T): T {
  const place = places.getStore()
  if (place === undefined) return act()
  refuseStrangers(rules, place)
  return places.run({ ...place, rules }, act)
}

/** Whether an assertion made here would show one of these rules; beside a scenario any. */
export function isShown(rules: readonly RuleId[]): boolean {
  const place = places.getStore()
  return place === undefined || place.rules.some((rule) => rules.includes(rule))
}

/** The rules that an assertion made here shows. */
export function shownRules(): readonly RuleId[] {
  const place = places.getStore()
  return place?.rules ?? []
}

/** Hears that an assertion held. */
export function hold(): void {
  const place = places.getStore()
  for (const rule of place?.rules ?? []) place?.checks.held.set(rule, (place.checks.held.get(rule) ?? 0) + 1)
}

/** Hears that an assertion fails with this error, and which rules that breaks. */
export function breakWith(error: Error, rules: readonly RuleId[]): void {
  failed.set(error, rules)
}

/** The rules that an assertion has broken; those of the whole scenario for an error that no assertion made. */
export function brokenBy(thrown: unknown, otherwise: readonly RuleId[]): readonly RuleId[] {
  return (thrown instanceof Error && failed.get(thrown)) || otherwise
}

function refuseStrangers(rules: readonly RuleId[], { scenario }: Place): void {
  const stranger = rules.find((rule) => !scenario.includes(rule))
  if (stranger) throw new Error(`an assertion shows ${stranger}, which its scenario does not count for`)
}
