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

/** The parts of the contract that are not built yet: none. An entry goes when its room comes. */
export const unbuilt: readonly Unbuilt[] = []
