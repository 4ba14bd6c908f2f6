import { readFileSync } from 'node:fs'
import type { ConformanceResults } from '#contract/models'
import { isConformanceResults } from '#contract/validators/conformance-results'

/** The results of a run as `results.json` holds them. Throws for anything else. */
export function readResults(file: string): ConformanceResults {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!isConformanceResults(value)) throw new Error(`${file} holds no results of this suite.`)
  return value
}
