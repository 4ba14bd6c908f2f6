import type { RuleId } from '#contract/rules'
import { isProvisional } from '../lock/lock.ts'
import type { Context } from './context.ts'
import type { Need } from './needs.ts'
import { catalogue, isRuleId } from './rules.ts'
import type { Limits, Subject } from './target.ts'

/** One case of the suite: a program that speaks to a product and asserts what the rules say. */
export interface Scenario {
  /** Its topic and its name in it: `models/list`. */
  readonly id: string
  readonly rules: readonly RuleId[]
  /** A sentence of the contract. */
  readonly title: string
  readonly needs: readonly Need[]
  readonly subjects: readonly Subject[]
  /** Whether what the proxy gives must equal what the router gave. */
  readonly isCompared: boolean
  /** Whether it changes what others rely on, so that it has to run alone, after all of them. */
  readonly isExclusive: boolean
  /** How long it waits by design at a target with these limits; long ones run with `--slow` alone. */
  readonly waitsMs: (limits: Limits) => number
  /** Whether its assertions name the rules that they show; those of a scenario with one rule need not. */
  readonly isNaming: boolean
  /** Whether it is new, so that what it finds is told and decides nothing yet. */
  readonly isProvisional: boolean
  /** Returns when the product keeps the rules; an `AssertionError` says that it does not. */
  readonly run: (context: Context) => Promise<void>
}

/** What is written down of a scenario of either kind; the rest is usual. */
export interface Description
  extends Partial<
    Pick<Scenario, 'needs' | 'subjects' | 'isCompared' | 'isExclusive' | 'waitsMs' | 'isNaming'>
  > {
  readonly rules: readonly RuleId[]
  readonly title: string
}

/** A scenario that is a program. */
export interface Definition extends Description {
  readonly run: Scenario['run']
}

/** A scenario that is written wrongly; the message names its id. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError'
}

/** Makes a scenario. Throws a `DefinitionError` for an id of another form and for a rule that it cannot count for. */
export function define(id: string, definition: Definition): Scenario {
  const { rules, title } = definition
  const refuse = (problem: string) => {
    throw new DefinitionError(`${id}: ${problem}`)
  }
  if (!/^[a-z][a-z0-9-]*(\/[a-z0-9][a-z0-9-]*)+$/.test(id))
    refuse('the id must be a path such as models/list')
  if (title.endsWith('.') || title.length < 10) refuse('the title must be a sentence without its full stop')
  if (rules.length === 0) refuse('it counts for no rule')
  if (new Set(rules).size < rules.length) refuse('a rule stands twice')
  for (const rule of rules) {
    if (!isRuleId(rule)) refuse(`there is no rule ${rule}`)
    const { test } = catalogue[rule]
    if (test === 'inspection' || test === 'out-of-scope') refuse(`${rule} cannot be shown by an exchange`)
  }
  return {
    id,
    needs: [],
    subjects: ['router', 'proxy'],
    isCompared: true,
    isExclusive: false,
    waitsMs: () => 0,
    isNaming: rules.length === 1 || namesRules(definition.run),
    isProvisional: isProvisional(id),
    ...definition,
  }
}

/** Whether a program names rules. What stands in functions that it calls is not seen here: who wraps one asks for it. */
export function namesRules(run: (...args: never) => unknown): boolean {
  return /\bshow(s|ing)\)?\(/.test(run.toString())
}

/** Whether it runs at the router and through the proxy, so that the two can be compared. */
export function isComparable({ subjects, isCompared }: Scenario): boolean {
  return isCompared && subjects.includes('router') && subjects.includes('proxy')
}
