import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { compareDocuments } from '../spec/diff/operations.ts'
import { findReleased } from '../spec/diff/released.ts'
import { changesOf } from './changes.ts'
import type { ReleaseOptions } from './options.ts'
import { readRepository, refuseUncommitted, tryIdentity } from './repository.ts'
import { trySigning } from './sums.ts'

/** Refuses what cannot become a release before anything long begins; gives what the changelog says of it. */
export function examine(
  { root, skipTests, dryRun, key }: ReleaseOptions,
  version: string,
): string | undefined {
  const repository = readRepository(root)
  refuseUncommitted(repository)
  if (!repository.isWhole)
    throw new Error('The clone is shallow, and lacks tags and changes: git fetch --unshallow --tags')
  if (dryRun || skipTests) return changesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  const { version: written } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const told = changesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (written !== version || told === undefined)
    throw new Error(
      `Nothing here says ${version} yet (package.json: ${written}): --prepare writes it, then commit.`,
    )
  if (key === undefined) throw new Error('--key is missing: a release is signed.')
  if (!existsSync(key)) throw new Error(`There is no key at ${key}.`)
  trySigning(key)
  tryIdentity(root)
  return told
}

/** Says how the contract stands to the last release; throws when it breaks a promise (VERS-02). */
export function compareContract(root: string): string {
  const released = findReleased(undefined, root)
  if (released === undefined) return 'The contract is released for the first time.'
  const current = parse(readFileSync(join(root, 'generated', 'openapi.yaml'), 'utf8'))
  const broken = compareDocuments({ released: parse(released.text), current })
  if (broken.length === 0) return `The contract keeps every promise of ${released.name}.`
  const lines = broken.map(({ place, message }) => `  ${place}: ${message}`)
  throw new Error(`The contract breaks what ${released.name} promised:\n${lines.join('\n')}`)
}
