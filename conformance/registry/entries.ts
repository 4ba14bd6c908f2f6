import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { ConformanceResults } from '#contract/models'
import { readResults } from '../report/read.ts'
import { filterOf } from '../report/selected.ts'

/** One report of the registry. */
export interface Entry {
  /** Its path below the registry: suite version, product, product's version. */
  readonly path: string
  readonly results: ConformanceResults
}

/** A report that does not belong where it lies, or that nobody could make again; the message names it. */
class RegistryError extends Error {
  override readonly name = 'RegistryError'
}

const FORM = /^(?<suite>\d+\.\d+\.\d+)\/[a-z0-9][a-z0-9-]*\/(?<version>[\w.+-]+)\.json$/

/**
 * Reads every report of a registry: the newest suite first, then by their paths. Throws a `RegistryError` for one whose
 * path says something else than it does, and for one without a README.md.
 */
export function readEntries(folder: string): readonly Entry[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => path.endsWith('.json'))
  return paths
    .map((path) => read(folder, path))
    .sort(
      (one, other) =>
        other.results.suite.version.localeCompare(one.results.suite.version, 'en', { numeric: true }) ||
        (one.path < other.path ? -1 : 1),
    )
}

function read(folder: string, path: string): Entry {
  const refuse = (problem: string): never => {
    throw new RegistryError(`${path}: ${problem}`)
  }
  const named = FORM.exec(path)?.groups
  if (named === undefined) return refuse('is not SUITE/PRODUCT/VERSION.json')
  const results = readResults(join(folder, path))
  if (results.suite.version !== named.suite) refuse(`was made by suite ${results.suite.version}`)
  if (results.product.version !== named.version)
    refuse(`is of version ${results.product.version ?? 'unknown'} of its product`)
  const filter = filterOf(results)
  if (filter !== undefined) refuse(`judges what ${filter} selects alone`)
  if (!existsSync(join(folder, dirname(path), 'README.md')))
    refuse('has no README.md that tells how it was made')
  return { path, results }
}
