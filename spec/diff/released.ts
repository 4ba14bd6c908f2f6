import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** The contract as it was given out: where it was read, and its text as YAML. */
export interface Released {
  readonly name: string
  readonly text: string
}

const CONTRACT = 'generated/openapi.yaml'

/**
 * Finds what the contract is held against: the file or the git revision that is named, else the newest tag `v…`.
 * Undefined when nothing is named and nothing was released. Throws when what is named is neither.
 */
export function findReleased(named: string | undefined, folder: string): Released | undefined {
  if (named !== undefined && existsSync(named)) return { name: named, text: readFileSync(named, 'utf8') }
  const revision = named ?? newestTag(folder)
  if (revision === undefined) return undefined
  return { name: `${CONTRACT} of ${revision}`, text: contractAt(revision, folder) }
}

/** A copy of the sources without git has no tags. */
function newestTag(folder: string): string | undefined {
  try {
    return git(folder, 'tag', '--list', 'v*', '--sort=-version:refname').split('\n')[0] || undefined
  } catch {
    return undefined
  }
}

function contractAt(revision: string, folder: string): string {
  try {
    return git(folder, 'show', `${revision}:${CONTRACT}`)
  } catch (cause) {
    throw new Error(`There is no file "${revision}", and git knows no ${CONTRACT} of that name.`, { cause })
  }
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}
