/** How tests ended. A skip is never a pass. */
export interface Count {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** What vitest's JSON reporter says of each test, as far as it is counted. */
export interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string
      readonly tags?: readonly string[]
    }[]
  }[]
}

/** Nothing at all. */
export const NONE: Count = { passed: 0, failed: 0, skipped: 0 }

/** The sum of two counts. */
export function add(one: Count, other: Count): Count {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  }
}

/**
 * Counts the tests of a report. One that did not run has failed, unless it has the tag of something that is missing and
 * that it may be left out for.
 */
export function countTests({ testResults }: Report, excuses: ReadonlySet<string>): Count {
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .map(({ status, tags = [] }): Count => {
      if (status === 'passed') return { ...NONE, passed: 1 }
      const isExcused = status !== 'failed' && tags.some((tag) => excuses.has(tag))
      return isExcused ? { ...NONE, skipped: 1 } : { ...NONE, failed: 1 }
    })
    .reduce(add, NONE)
}

/** How many tests each excuse left out. */
export function countSkips(
  { testResults }: Report,
  excuses: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const tags = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .flatMap(({ tags = [] }) => tags.filter((tag) => excuses.has(tag)))
  return new Map([...Map.groupBy(tags, (tag) => tag)].map(([tag, all]) => [tag, all.length]))
}

/** The last line of a run. */
export function sayCount({ passed, failed, skipped }: Count): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
