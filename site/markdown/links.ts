import { existsSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PROJECT } from '../project.ts'

/** Where a link of a page leads. */
export type Target =
  | { readonly kind: 'page'; readonly address: string }
  | { readonly kind: 'outside'; readonly url: string }
  /** A file of the source that is no page: it is named, as no public place has it. */
  | { readonly kind: 'file'; readonly path: string }

/** Pages by the file that they are made of, and of the catalogues by the name of the entry. */
export interface Places {
  readonly byFile: ReadonlyMap<string, string>
  /** `generated/rules.md#CRED-13` and its like. */
  readonly byEntry: ReadonlyMap<string, string>
}

/** Finds where a link that stands in a file leads. Throws where it leads nowhere. */
export function resolveLink(link: string, source: string, places: Places): Target {
  if (/^[a-z]+:/.test(link)) return { kind: 'outside', url: link }
  const [path = '', anchor] = link.split('#')
  const file = fileOf(path, source)
  const suffix = anchor === undefined ? '' : `#${anchor}`
  const entry = places.byEntry.get(`${file}${suffix}`)
  if (entry !== undefined) return { kind: 'page', address: entry }
  const page = places.byFile.get(file) ?? places.byFile.get(posix.join(file, 'README.md'))
  if (page !== undefined) return { kind: 'page', address: `${page}${suffix}` }
  if (!existsSync(join(PROJECT, file))) throw new Error(`${source}: ${link} leads nowhere`)
  return { kind: 'file', path: statSync(join(PROJECT, file)).isDirectory() ? `${file}/` : file }
}

/** A path that begins with a slash is one of the project's folder: sections of several files stand on one page. */
function fileOf(path: string, source: string): string {
  if (path === '') return source
  const joined = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(source), path)
  return posix.normalize(joined).replace(/\/$/, '')
}

/** A part of a file, with its links written from the project's folder. */
export function fromProject(markdown: string, source: string): string {
  return markdown.replace(/\]\((?![a-z]+:)([^)#\s]*)(#[^)\s]*)?\)/g, (_, path: string, anchor = '') => {
    return `](/${fileOf(path, source)}${anchor})`
  })
}
