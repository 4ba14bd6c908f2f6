import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPage } from '../console/build/build.ts'

const ROOT = join(import.meta.dirname, '..')

/** What the router and the platform gateway consist of. */
const PARTS = [
  'attestation',
  'base',
  'config',
  'egress',
  'generated',
  'platform',
  'server',
  'LICENSE',
  'package.json',
]

/** What only tests read. */
const FOR_TESTS = /(?:^|\/)(?:testing|[^/]*\.test\.ts|testing\.ts|test-[^/]*)$/

/** Where an image comes from. */
export interface Origin {
  readonly commit: string
  readonly at: Date
}

/**
 * The commit that is checked out; an error where files differ from it, for the image would be nobody's. The console's
 * page is built where its sources lie: there the bundler takes up what is in no commit as well, such as an `.env`.
 */
export function originOf(): Origin {
  const changed = [
    git('status', '--porcelain', '--untracked-files=no'),
    git('ls-files', '--others', '--exclude=/console/dist*', '--', 'console').replace(/^(?=.)/gm, '?? '),
  ]
    .join('')
    .trim()
  if (changed !== '') throw new Error(`An image is made of a commit. These files differ from it:\n${changed}`)
  const [commit = '', seconds] = git('log', '-1', '--format=%H %ct').trim().split(' ')
  return { commit, at: new Date(Number(seconds) * 1_000) }
}

/** Puts the committed sources into a folder, without their tests, and the console's page as it is built of them. */
export async function layOutSources(folder: string, { commit }: Origin): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', '--format=tar', commit, ...PARTS], {
    cwd: ROOT,
    maxBuffer: 2 ** 30,
  })
  execFileSync('tar', ['--extract', '--file', '-', '--directory', folder], { input: archive })
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (FOR_TESTS.test(path)) rmSync(join(folder, path), { recursive: true, force: true })
  // Anew, whatever lies where the router of this clone has its own.
  mkdirSync(join(folder, 'console'))
  await buildPage(join(folder, 'console', 'dist'))
}

/** The package's manifest and its lock, as committed, for npm to install from. */
export function layOutManifests(folder: string, { commit }: Origin): void {
  mkdirSync(folder, { recursive: true })
  for (const name of ['package.json', 'package-lock.json'])
    writeFileSync(join(folder, name), git('show', `${commit}:${name}`))
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 })
}
