import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { type Archive, pack } from '../archive.ts'
import { ROOT } from '../recipe.ts'
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
  /** What all that was installed takes on the disk. */
  installedBytes(): number
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

/** What Node would not run: TypeScript below `node_modules`, but for declarations. */
export function typeScriptIn({ path, archive }: EmptyFolder): string[] {
  const files = readdirSync(join(path, 'node_modules', archive.name), { recursive: true }).map(String)
  return files.filter((file) => /(?<!\.d)\.m?ts$/.test(file))
}

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
  execFileSync(
    'npm',
    ['install', '--offline', '--omit=optional', '--no-audit', '--no-fund', archive.file, ...beside],
    {
      cwd: path,
      stdio: 'pipe',
    },
  )
  return {
    path,
    archive,
    installedBytes: () => bytesBelow(join(path, 'node_modules')),
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

/** Has the compiler look at a file of an empty folder, as strictly as it can; `types` are globals that somebody has there. */
export function typeCheck(
  empty: EmptyFolder,
  file: string,
  resolution: string,
  types: readonly string[] = [],
): Promise<Ended> {
  const options = {
    ...{ module: resolution === 'bundler' ? 'esnext' : 'nodenext', moduleResolution: resolution },
    ...{ target: 'es2024', lib: ['es2024', 'dom'], strict: true, noEmit: true, skipLibCheck: false },
    ...{ types, typeRoots: [join(ROOT, 'node_modules', '@types')] },
  }
  empty.write('tsconfig.json', JSON.stringify({ compilerOptions: options, files: [file] }))
  return empty.run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.'])
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
