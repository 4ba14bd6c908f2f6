import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dateChangelog } from './changes.ts'
import { readRepository, refuseUncommitted } from './repository.ts'
import { nextVersion } from './version.ts'

/** The files that a version is written into. */
const MANIFESTS = ['package.json', 'package-lock.json']

/** Writes the next version where it stands, for somebody to look at and commit; gives it. */
export function prepareRelease(root: string, now: Date): string {
  const repository = readRepository(root)
  refuseUncommitted(repository)
  const version = nextVersion(repository.lastTag, repository.commits)
  const changelog = join(root, 'CHANGELOG.md')
  const dated = dateChangelog(readFileSync(changelog, 'utf8'), version, now.toISOString().slice(0, 10))
  for (const name of MANIFESTS) {
    const file = join(root, name)
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    manifest.version = version
    // The lock names the project a second time, among its packages.
    if (manifest.packages?.[''] !== undefined) manifest.packages[''].version = version
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
  }
  writeFileSync(changelog, dated)
  return version
}
