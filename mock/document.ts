import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'

const CONTRACT = join(import.meta.dirname, '..', 'generated', 'openapi.yaml')

interface Document {
  servers: { url: string }[]
  paths: Record<string, { servers?: unknown }>
}

/**
 * The contract with the base of its paths in them: Prism knows no base, and a client is given one that ends with `/v1`.
 * A path that has a server of its own stands beside the router and is left out.
 */
export function mockDocument(source = readFileSync(CONTRACT, 'utf8')): string {
  const { paths, ...rest } = parse(source) as Document
  const own = Object.entries(paths).filter(([, { servers }]) => servers === undefined)
  const prefixed = Object.fromEntries(own.map(([path, operations]) => [`/v1${path}`, operations]))
  return stringify({ ...rest, servers: [{ url: '/' }], paths: prefixed }, { aliasDuplicateObjects: false })
}
