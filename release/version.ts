import type { Commit } from './repository.ts'

/** The first release makes the promise of the contract (VERS-02), which is what 1 means. */
const FIRST = '1.0.0'

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/

/**
 * The version that comes next: a commit that adds something makes a minor one, else it is a patch. A major one is never
 * made: under /v1 the contract only grows. Throws for a tag that is no version, and where nothing has changed.
 */
export function nextVersion(lastTag: string | undefined, commits: readonly Commit[]): string {
  if (lastTag === undefined) return FIRST
  const [, major = '', minor = '', patch = ''] = VERSION.exec(lastTag.replace(/^v/, '')) ?? []
  if (major === '') throw new Error(`The tag ${lastTag} is no version such as v1.0.0.`)
  if (commits.length === 0) throw new Error(`Nothing has changed since ${lastTag}.`)
  const isMore = commits.some(({ subject }) => subject.startsWith('feat'))
  return isMore ? `${major}.${Number(minor) + 1}.0` : `${major}.${minor}.${Number(patch) + 1}`
}
