import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { follow } from './imports.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CORE = 'attestation/index.ts'
const PROXY = 'proxy/main.ts'

/** What a verdict depends on: by name alone, so that an edit within a file does not change the page. */
export interface Base {
  /** Paths of files, by the room they lie in. */
  readonly rooms: ReadonlyMap<string, readonly string[]>
  readonly core: readonly string[]
  readonly proxy: readonly string[]
  /** Packages that come along with those, with their versions. */
  readonly along: readonly string[]
}

/** Follows the imports of the core and of the proxy. */
export function readBase(): Base {
  const core = follow(CORE)
  const proxy = follow(PROXY)
  const paths = [...new Set([...core.files, ...proxy.files])].filter((path) => path !== 'package.json').sort()
  const rooms = Map.groupBy(paths, (path) => path.split('/')[0] ?? '')
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
  const summary = [...rooms].map(([room, files]) => `| ${room}/ | ${files.length} |`)
  const lists = [...rooms].map(
    ([room, files]) => `### ${room}/\n\n${files.map((path) => `- ${path}\n`).join('')}`,
  )
  const versions = (names: readonly string[]) => names.map((name) => `\`${withVersion(name)}\``).join(', ')
  return `
${table('room | files', summary)}
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
