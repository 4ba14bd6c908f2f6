import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { type Archive, pack } from '../archive.ts'
import { recipes } from '../recipes.ts'
import { packDependencies } from './dependencies.ts'

/** How a program ended, and what it wrote. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A folder of somebody who has a package and nothing else of this repository. */
export interface EmptyFolder {
  readonly path: string
  readonly archive: Archive
  write(name: string, text: string): string
  /** Runs a program in it. */
  run(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>
  remove(): void
}

/** Without the runtime that this project brings along. */
const OUTER_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((one) => !one.includes('node_modules'))
  .join(delimiter)

/** The Nodes of this machine that a library for Node 20 is tried on: this one, and the machine's own. */
export function nodesFrom20(): string[] {
  const script = 'console.log(process.versions.node.split(".")[0] >= 20 ? process.execPath : "")'
  const { stdout } = spawnSync('node', ['-e', script], { encoding: 'utf8', env: { PATH: OUTER_PATH } })
  return [...new Set([process.execPath, stdout?.trim()].filter((path) => path))]
}

/**
 * Packs one package and installs it into an empty folder without a network: the archives of what it depends on, made
 * of this repository's own packages, lie beside it.
 */
export async function installAlone(name: string): Promise<EmptyFolder> {
  const root = mkdtempSync(join(tmpdir(), `pack-${name}-`))
  const archive = await pack(recipes.find((recipe) => recipe.name === name)!, join(root, 'packed'))
  const path = join(root, 'empty')
  mkdirSync(path)
  writeFileSync(join(path, 'package.json'), '{ "name": "somebody", "private": true, "type": "module" }\n')
  const beside = packDependencies(archive, join(root, 'packed'))
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', archive.file, ...beside], {
    cwd: path,
    stdio: 'pipe',
  })
  return {
    path,
    archive,
    write(file, text) {
      mkdirSync(dirname(join(path, file)), { recursive: true })
      writeFileSync(join(path, file), text)
      return join(path, file)
    },
    async run(program, args, env = {}) {
      const child = spawn(program, args, {
        cwd: path,
        env: { PATH: OUTER_PATH, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const told = { stdout: '', stderr: '' }
      child.stdout.on('data', (piece) => (told.stdout += piece))
      child.stderr.on('data', (piece) => (told.stderr += piece))
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, ...told }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
