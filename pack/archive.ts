import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import project from '../package.json' with { type: 'json' }
import { writeReadme } from './readme.ts'
import { type Manifest, type Recipe, ROOT, SCOPE } from './recipe.ts'

/** A package as npm takes it. */
export interface Archive {
  readonly name: string
  readonly file: string
  /** What is fetched, and what lies on the disk then; without dependencies. */
  readonly bytes: number
  readonly installedBytes: number
  /** As its manifest names them: name and exact version. */
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

/** Makes a package below a folder: its files as `<folder>/<name>/`, and beside them the archive. */
export async function pack({ name, home, imports, write }: Recipe, into: string): Promise<Archive> {
  const folder = join(into, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const { manifest, within = [] } = await write(folder)
  const own = packageJson(`${SCOPE}/${name}`, manifest)
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  await writeReadme(home, folder, imports)
  const licences = licencesOf(within)
  if (licences !== '') writeFileSync(join(folder, 'LICENSES.txt'), licences)
  const [{ filename, size, unpackedSize }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(into)], {
      cwd: folder,
      encoding: 'utf8',
    }),
  ) as [{ filename: string; size: number; unpackedSize: number }]
  return {
    ...{ name: own.name, file: join(into, filename), bytes: size, installedBytes: unpackedSize },
    dependencies: own.dependencies ?? {},
    optionalDependencies: own.optionalDependencies ?? {},
  }
}

/** A manifest of its own: nothing of the repository's scripts, and none of its runtimes. */
function packageJson(name: string, own: Manifest) {
  const { version = project.version, description, node, dependencies, optionalDependencies, ...rest } = own
  return {
    ...{ name, version, description, license: project.license, type: 'module' },
    ...{ engines: { node: `>=${node}` }, ...rest },
    ...(dependencies && { dependencies: versionsOf(dependencies) }),
    ...(optionalDependencies && { optionalDependencies: versionsOf(optionalDependencies) }),
  }
}

/** The exact versions that this repository asks for. */
function versionsOf(names: readonly string[]): Record<string, string> {
  const known: Readonly<Record<string, string>> = project.dependencies
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const version = known[name]
      if (version === undefined) throw new Error(`${name} is used by a package and is no dependency here.`)
      return [name, version]
    }),
  )
}

/** What packages that are part of another one ask for; nothing where there are none. */
export function licencesOf(within: Iterable<string>): string {
  return [...within].toSorted().map(licenceOf).join('\n')
}

function licenceOf(folder: string): string {
  // The bundler's paths go from where it runs: a clone may borrow its sources and packages by links.
  const at = resolve(folder)
  const { name, version, license } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
  const file = readdirSync(at).find((one) => /^(licen[cs]e|copying)/i.test(basename(one)))
  return `${name} ${version}: ${license}\n\n${file ? readFileSync(join(at, file), 'utf8') : ''}\n`
}
