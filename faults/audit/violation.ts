/** What is promised and was not so. */
export interface Violation {
  readonly check:
    | 'quiescence'
    | 'ledger-verify'
    | 'books'
    | 'records'
    | 'false-ok'
    | 'sent-twice'
    | 'traces'
    | 'memory'
    | 'handles'
  /** For people: what is wrong with which. */
  readonly detail: string
}

/** Of one kind so many are told; the rest are counted. */
const MOST_TOLD = 10

/** The violations of one check from what it found. */
export function violationsOf(check: Violation['check'], details: readonly string[]): Violation[] {
  const told = details.slice(0, MOST_TOLD).map((detail) => ({ check, detail }))
  const left = details.length - told.length
  return left > 0 ? [...told, { check, detail: `and ${left} more` }] : told
}
