import type { RuleId } from '#contract/rules'
import texts from '../../generated/rules.json' with { type: 'json' }
import { rules } from '../../generated/rules.ts'

/** Whose word a rule is. */
export type Origin = 'given' | 'chosen'

/** What the catalogue knows of a rule. */
export interface Rule {
  readonly origin: Origin
  readonly ref: string
  readonly level: 'must' | 'should' | 'may'
  readonly subjects: readonly string[]
  readonly test: 'black-box' | 'control' | 'vector' | 'inspection' | 'out-of-scope'
}

/** Every rule by its id. */
export const catalogue: Readonly<Record<RuleId, Rule>> = rules

/** The sentence of each rule. */
export const ruleTexts: ReadonlyMap<RuleId, string> = new Map(
  texts.rules.map(({ id, text }) => [id as RuleId, text]),
)

/** Whether a text is the id of a rule. */
export function isRuleId(text: string): text is RuleId {
  return Object.hasOwn(catalogue, text)
}

/**
 * Whose rules a scenario counts for. One given rule makes it a given one: all that it asserts must then follow from
 * the given specification, and chosen rules may be counted with it when they ask for no more than that.
 */
export function originOf(ids: readonly RuleId[]): Origin {
  return ids.some((id) => catalogue[id].origin === 'given') ? 'given' : 'chosen'
}

/** Rules that every scenario shows of the proxy when it is run through it and compared. */
export const differentialRules = ['SRV-03', 'PRXY-01', 'PRXY-06'] as const satisfies readonly RuleId[]
