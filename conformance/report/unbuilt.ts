import type { RuleId } from '#contract/rules'

/** A part of the contract that has no room yet: what is its alone fails no gate, and is shown as a gap all the same. */
export interface Unbuilt {
  readonly feature: string
  readonly owns: {
    rule(id: RuleId): boolean
    answer(operation: string, status: number): boolean
    code(code: string): boolean
  }
}

/** Rules outside the console's own section that only a console can show (DIG-01). */
const consoleRules = new Set<RuleId>(['DIG-01'])

/** Codes that no route below the base URL has (ERR-43). */
const consoleCodes = new Set(['invalid_code', 'session_required', 'not_administrator', 'conflict'])

/** The parts of the contract that are not built yet. An entry goes when its room comes. */
export const unbuilt: readonly Unbuilt[] = [
  {
    feature: 'the console',
    owns: {
      rule: (id) => id.startsWith('CONS-') || consoleRules.has(id),
      answer: () => false,
      code: (code) => consoleCodes.has(code),
    },
  },
]
