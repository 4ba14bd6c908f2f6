import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Archive } from '../archive.ts'
import { ROOT } from '../recipe.ts'

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
}

/**
 * Makes archives of all that a package cannot do without, out of what is installed here; gives their files. What is
 * optional is not there, as for somebody who leaves it out.
 */
export function packDependencies({ dependencies }: Pick<Archive, 'dependencies'>, into: string): string[] {
  const folders = new Set<string>()
  for (const name of Object.keys(dependencies)) collect(name, ROOT, folders)
  if (folders.size === 0) return []
  mkdirSync(into, { recursive: true })
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into, ...folders]
  const packed = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }))
  return (packed as { readonly filename: string }[]).map(({ filename }) => join(into, filename))
}

/** A package, as somebody in a folder would find it, and whatever it needs in turn. */
function collect(name: string, from: string, folders: Set<string>): void {
  const folder = find(name, from)
  if (folder === undefined) throw new Error(`${name} is not installed here.`)
  if (folders.has(folder)) return
  folders.add(folder)
  const { dependencies = {} }: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const next of Object.keys(dependencies)) collect(next, folder, folders)
}

function find(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name)
  if (existsSync(folder)) return folder
  return from === ROOT || dirname(from) === from ? undefined : find(name, dirname(from))
}
