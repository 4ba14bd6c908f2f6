import written from './lock.json' with { type: 'json' }

/** What a version of the suite consists of; `npm run generate` adds to it, and forgets nothing. */
export interface Lock {
  /** Of the suite as it is given out next: major.minor.patch. */
  readonly version: string
  /** Each scenario's id, and the version in which it came. */
  readonly scenarios: Readonly<Record<string, string>>
  /** Scenarios that are no more: the version in which they went, and which one took their place. */
  readonly retired: Readonly<Record<string, { readonly in: string; readonly by?: string }>>
}

/** The lock of this suite. */
export const lock: Lock = written

/** The version of this suite, which is not the product's. */
export const suiteVersion = lock.version

/**
 * Whether a scenario is new, so that it decides nothing yet: for the whole of the minor version in which it came. What
 * came with a major version counts at once. One that stands in no lock is somebody's own, and counts.
 */
export function isProvisional(id: string, { version, scenarios }: Lock = lock): boolean {
  const came = scenarios[id]
  if (came === undefined) return false
  const [major, minor] = partsOf(came)
  const [ownMajor, ownMinor] = partsOf(version)
  return minor > 0 && major === ownMajor && minor === ownMinor
}

/** Why there is no scenario of that name; undefined for one that there is. */
export function whyUnknown(id: string, { scenarios, retired }: Lock = lock): string | undefined {
  if (scenarios[id] !== undefined) return undefined
  const gone = retired[id]
  if (gone === undefined) return `names ${id}, and there is no such scenario`
  return `names ${id}, which was retired in ${gone.in}${gone.by === undefined ? '' : `; ${gone.by} is in its place`}`
}

/** The numbers of a version. Throws for a text that is none. */
export function partsOf(version: string): readonly [major: number, minor: number, patch: number] {
  const [, ...parts] = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(version) ?? []
  if (parts.length === 0) throw new Error(`${version} is no version such as 1.2.0`)
  const [major, minor, patch] = parts.map(Number)
  return [major!, minor!, patch!]
}
