import { readFileSync } from 'node:fs'
import { UsageError } from '#base/command.ts'
import type { ConformanceResults } from '#contract/models'
import { isConformanceResults } from '#contract/validators/conformance-results'

/** The results of a run as `results.json` holds them. Throws a `UsageError` that says in a sentence what is missing. */
export function readResults(file: string): ConformanceResults {
  const value = parse(file, textOf(file))
  if (!isConformanceResults(value)) throw new UsageError(`${file} holds no results of this suite.`)
  return value
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw new UsageError(
      isMissing
        ? `${file} is missing: \`run --report-dir\` writes it, and a run that judged nothing wrote none.`
        : `${file} cannot be read: ${(error as Error).message}`,
      { cause: error },
    )
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UsageError(`${file} is no JSON: it holds no results of this suite.`, { cause })
  }
}
