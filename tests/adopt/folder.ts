import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { pack } from '../../pack/archive.ts'
import { recipes } from '../../pack/recipes.ts'
import { packDependencies } from '../../pack/testing/dependencies.ts'
import { openRegistry } from '../../pack/testing/registry.ts'
import { PROJECT } from '../guides/clone.ts'
import { type Step, stepsOf } from '../guides/page.ts'
import { type Finding, judgeSteps } from '../guides/session.ts'

/** A folder of somebody who begins: what they have fetched lies in it, and nothing of this repository is on their path. */
export interface Beginner {
  readonly folder: string
  /** Follows steps as they stand; lists what is not as the page says. */
  follow(steps: readonly Step[], place: Local): Promise<readonly Finding[]>
}

/** What is this machine's, in the place of what a page says. */
export interface Local {
  /** Keys and addresses that somebody is given. */
  readonly environment?: Readonly<Record<string, string>>
  /** By the words of the page. */
  readonly instead?: Readonly<Record<string, string>>
}

/** The machine's own programs, without the runtime that this project brings along. */
const OUTER_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((one) => !one.includes('node_modules'))
  .join(delimiter)

/** The steps of a page of this repository. */
export function stepsIn(page: string): readonly Step[] {
  return stepsOf(readFileSync(join(PROJECT, page), 'utf8'))
}

/** The steps behind a heading, up to the next one. */
export function stepsUnder(page: string, heading: string): readonly Step[] {
  const text = readFileSync(join(PROJECT, page), 'utf8')
  const begin = text.indexOf(`\n${heading}\n`)
  if (begin < 0) throw new Error(`${page} has no heading ${heading}`)
  const section = text.slice(begin + heading.length + 2)
  return stepsOf(section.split(/^## /m, 1)[0]!)
}

/** Packs a package, puts its archive into an empty folder, and what it depends on into a registry of this machine. */
export async function beginWithPackage(name: string): Promise<Beginner> {
  const root = emptyRoot()
  const archive = await pack(recipes.find((recipe) => recipe.name === name)!, join(root, 'packed'))
  copyFileSync(archive.file, join(root, 'empty', basename(archive.file)))
  return await begin(root, packDependencies(archive, join(root, 'packed')))
}

/** Puts what `make` writes into an empty folder. */
export async function beginWithFile(make: (folder: string) => Promise<unknown>): Promise<Beginner> {
  const root = emptyRoot()
  await make(join(root, 'empty'))
  return await begin(root, [])
}

function emptyRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'adopt-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const name of ['packed', 'empty', 'bin', 'home']) mkdirSync(join(root, name))
  // A Node as the packages ask for it, wherever this one lies.
  symlinkSync(process.execPath, join(root, 'bin', 'node'))
  return root
}

async function begin(root: string, archives: readonly string[]): Promise<Beginner> {
  const registry = await openRegistry(archives)
  onTestFinished(() => registry.close())
  const [folder, home] = [join(root, 'empty'), join(root, 'home')]
  const own = {
    PATH: [join(root, 'bin'), OUTER_PATH].join(delimiter),
    HOME: home,
    npm_config_registry: registry.url,
    npm_config_cache: join(home, 'npm'),
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
  }
  return {
    folder,
    follow: (steps, { environment = {}, instead = {} }) =>
      judgeSteps(steps, {
        folder,
        project: folder,
        isApart: true,
        environment: { ...own, ...environment },
        localize: (text) =>
          Object.entries(instead).reduce((told, [word, other]) => told.replaceAll(word, other), text),
      }),
  }
}
