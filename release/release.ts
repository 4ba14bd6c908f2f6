import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeChanges } from './changes.ts'
import { compareContract, examine } from './examine.ts'
import { nameFiles } from './named-files.ts'
import type { ReleaseOptions } from './options.ts'
import { readRepository, signTag } from './repository.ts'
import { signSums, writeSums } from './sums.ts'
import { nextVersion } from './version.ts'

/** What was made, or would be. */
export interface MadeRelease {
  readonly version: string
  readonly commit: string
  /** Whether it is one: tested, signed and tagged. */
  readonly released: boolean
  readonly tag: string | null
  readonly folder: string | null
  /** Every file of it but for the checksums and their signature. */
  readonly files: readonly string[]
  readonly steps: readonly string[]
}

/** What everybody has to see who comes upon a folder that was made without tests. */
const WARNING = 'THIS IS NO RELEASE: its tests were skipped. It has no tag and no signature.'

/** Makes a release of the commit that is checked out. Throws, and leaves nothing, where one cannot be made. */
export async function makeRelease(options: ReleaseOptions): Promise<MadeRelease> {
  const { root, skipTests, dryRun, tell, key } = options
  const repository = readRepository(root)
  const version = nextVersion(repository.lastTag, repository.commits)
  const told = examine(options, version)
  tell(`Version ${version} of ${repository.commit}, after ${repository.lastTag ?? 'no release'}.`)
  tell(compareContract(root))
  const steps = options.steps.filter(({ isTest }) => !(isTest && skipTests))
  const name = skipTests ? `${version}-untested` : version
  const folder = join(options.into, name)
  const plan = { version, commit: repository.commit, steps: steps.map(({ title }) => title) }
  if (skipTests) tell(WARNING)
  if (dryRun) {
    for (const step of steps) tell(`would make: ${step.title}`)
    return { ...plan, released: false, tag: null, folder: null, files: [] }
  }
  if (existsSync(folder)) throw new Error(`${folder} is there already.`)
  // Whatever fails leaves no folder that looks like a release.
  const unfinished = join(options.into, `.${name}`)
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  let left = unfinished
  try {
    for (const [index, step] of steps.entries()) {
      tell(`[${index + 1}/${steps.length}] ${step.title}`)
      await step.run(unfinished)
    }
    const page = describeChanges(version, nameFiles(told ?? 'Not prepared.'), repository.commits)
    writeFileSync(join(unfinished, 'CHANGES.md'), page)
    if (skipTests) writeFileSync(join(unfinished, 'NO-RELEASE.txt'), `${WARNING}\n`)
    // By what was run, and not by what was asked for.
    const tested = steps.some(({ isTest }) => isTest === true)
    const about = { ...plan, tested, node: process.version }
    writeFileSync(join(unfinished, 'release.json'), `${JSON.stringify(about, null, 2)}\n`)
    refuseChanges(root, repository.commit)
    const files = await writeSums(unfinished)
    const tag = skipTests ? null : `v${version}`
    if (tag !== null) signSums(unfinished, key!)
    renameSync(unfinished, folder)
    left = folder
    // Last of all: a tag is what others go by, and nothing behind it can fail.
    if (tag !== null) signTag(root, tag, `Version ${version}`, key!)
    if (skipTests) tell(WARNING)
    return { ...plan, released: tag !== null, tag, folder, files }
  } catch (error) {
    rmSync(left, { recursive: true, force: true })
    tell(`${version} was not made, and nothing of it is left: once that is mended, start anew.`)
    throw error
  }
}

/** What was built while somebody worked on the tree is of no commit. */
function refuseChanges(root: string, commit: string): void {
  const now = readRepository(root)
  if (now.commit !== commit || now.uncommitted.length > 0)
    throw new Error(`The tree has changed meanwhile: ${now.uncommitted.join(', ')}`)
}
