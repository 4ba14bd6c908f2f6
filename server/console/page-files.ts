import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** How a file may have been compressed when it was built. */
export type Encoding = 'br' | 'gzip'

/** A file of the built page, in every form that it can be answered in. */
export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly encoded: ReadonlyMap<Encoding, Uint8Array<ArrayBuffer>>
}

/** The built page: its document, and what that loads, by name. */
export interface PageFiles {
  readonly index: string
  readonly assets: ReadonlyMap<string, PageFile>
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const SUFFIXES: ReadonlyMap<Encoding, string> = new Map([
  ['br', '.br'],
  ['gzip', '.gz'],
])

/**
 * Reads the folder that the page was built into, whole: it is small, and is then served from memory. Undefined before it
 * was built.
 */
export function readPageFiles(folder: string): PageFiles | undefined {
  const index = join(folder, 'index.html')
  const assets = join(folder, 'assets')
  if (!existsSync(index)) return undefined
  const names = existsSync(assets) ? readdirSync(assets) : []
  return {
    index: readFileSync(index, 'utf8'),
    assets: new Map(names.flatMap((name) => fileOf(assets, name, names))),
  }
}

function fileOf(folder: string, name: string, names: readonly string[]): [string, PageFile][] {
  const type = TYPES[extname(name)]
  if (type === undefined) return []
  const encoded = [...SUFFIXES].filter(([, suffix]) => names.includes(name + suffix))
  const read = (file: string) => new Uint8Array(readFileSync(join(folder, file)))
  return [
    [
      name,
      {
        type,
        bytes: read(name),
        encoded: new Map(encoded.map(([encoding, suffix]) => [encoding, read(name + suffix)])),
      },
    ],
  ]
}
