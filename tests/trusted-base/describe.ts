import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { follow } from './imports.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CORE = 'attestation/index.ts'
const PROXY = 'proxy/main.ts'

/** A file with its size, which is told in tens so that not every edit changes the page. */
interface Sized {
  readonly path: string
  readonly lines: number
}

/** What a verdict depends on. */
export interface Base {
  readonly rooms: ReadonlyMap<string, readonly Sized[]>
  readonly core: readonly string[]
  readonly proxy: readonly string[]
  /** Packages that come along with those, with their versions. */
  readonly along: readonly string[]
}

/** Counts it. */
export function readBase(): Base {
  const core = follow(CORE)
  const proxy = follow(PROXY)
  const paths = [...new Set([...core.files, ...proxy.files])].filter((path) => path !== 'package.json').sort()
  const rooms = Map.groupBy(paths.map(sizeOf), ({ path }) => path.split('/')[0] ?? '')
  const direct = [...new Set([...core.packages, ...proxy.packages])].filter(
    (name) => !name.startsWith('node:'),
  )
  return {
    rooms,
    core: [...core.packages].sort(),
    proxy: [...proxy.packages].filter((name) => !core.packages.has(name)).sort(),
    along: packagesAlong(direct),
  }
}

/** Writes it as tables. */
export function describeBase({ rooms, core, proxy, along }: Base): string {
  const summary = [...rooms].map(([room, files]) => `| ${room}/ | ${files.length} | ${sum(files)} |`)
  const lists = [...rooms].map(
    ([room, files]) =>
      `### ${room}/\n\n${table(
        'file | lines',
        files.map(({ path, lines }) => `| ${path} | ${lines} |`),
      )}`,
  )
  const versions = (names: readonly string[]) => names.map((name) => `\`${withVersion(name)}\``).join(', ')
  return `
${table('room | files | lines', summary)}
Packages and parts of Node that the core names: ${versions(core)}.

Those that the proxy names besides: ${versions(proxy)}.

Packages that these bring along: ${versions(along)}.

${lists.join('\n')}
`
}

function table(head: string, rows: readonly string[]): string {
  const line = head.replace(/[^|]+/g, '---')
  return `| ${head} |\n|${line}|\n${rows.join('\n')}\n`
}

function sizeOf(path: string): Sized {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1
  return { path, lines: Math.ceil(lines / 10) * 10 }
}

function sum(files: readonly Sized[]): number {
  return files.reduce((total, { lines }) => total + lines, 0)
}

interface Locked {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

function lockedOf(name: string): Locked | undefined {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>
  }
  return packages[`node_modules/${name}`]
}

function withVersion(name: string): string {
  return name.startsWith('node:') ? name : `${name} ${lockedOf(name)?.version ?? ''}`.trimEnd()
}

function packagesAlong(direct: readonly string[]): readonly string[] {
  const found = new Set<string>()
  const open = [...direct]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue
    found.add(name)
    open.push(...Object.keys(lockedOf(name)?.dependencies ?? {}))
  }
  return [...found].filter((name) => !direct.includes(name)).sort()
}
