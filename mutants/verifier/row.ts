import type { RuleId } from '#contract/rules'

/** A small fault in the order in which the tables of faults have it; the file is named without its ending. */
export type Row = readonly [
  id: string,
  violates: RuleId | readonly RuleId[],
  file: string,
  find: string,
  put: string,
  killers: readonly string[],
]
