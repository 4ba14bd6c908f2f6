import { readFileSync } from 'node:fs'
import { UsageError } from '#base/command.ts'
import { isObject } from '#base/object.ts'
import type { ConformanceResults } from '#contract/models'
import { isConformanceResults } from '#contract/validators/conformance-results'

/** The results of a run as `results.json` holds them. Throws a `UsageError` that says in a sentence what is missing. */
export function readResults(file: string): ConformanceResults {
  const value = parse(file, textOf(file))
  if (isConformanceResults(value)) return value
  throw new UsageError(
    isOfAnother(value)
      ? `${file} holds results of another version of this suite (${value.suite.version}): judge anew, or read them with that one.`
      : `${file} holds no results of this suite.`,
  )
}

/** Whether they are results of some version: all have had these members. */
function isOfAnother(value: unknown): value is { readonly suite: { readonly version: string } } {
  if (!isObject(value) || !isObject(value.suite) || !Array.isArray(value.scenarios)) return false
  return typeof value.suite.version === 'string'
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
