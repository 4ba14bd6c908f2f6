import type { Json } from '#attestation'
import { visible } from '#base/foreign-text.ts'
import { type Concern, concernOf, concerns } from './concern.ts'
import type { Path } from './edits.ts'
import { placeInWords } from './place.ts'

/** A value that is told as a whole: a text, a number, a list of such, or nothing. */
interface Leaf {
  /** From the value that is told. */
  readonly path: Path
  readonly value: Json
}

/** Longest list that is told on one line (ours). */
const MAX_LINE = 160

const WIDTH = Math.max(...concerns.map(({ length }) => length))

/**
 * A value that stands at a path of a resource of some kind, whole: everything in it has its line, and what matters most
 * comes first. Places are told from the value on.
 */
export function sheetOf(value: Json, path: Path, kind: Json | undefined): string[] {
  const told = Map.groupBy(leavesOf(value, []), (leaf) => concernOf(kind, [...path, ...leaf.path]))
  return concerns.flatMap((concern) =>
    (told.get(concern) ?? []).flatMap((leaf) => leafInWords(concern, leaf, value)),
  )
}

/** The most important thing that a value is about. */
export function foremostOf(value: Json, path: Path, kind: Json | undefined): Concern {
  const found = new Set(leavesOf(value, []).map((leaf) => concernOf(kind, [...path, ...leaf.path])))
  return concerns.find((concern) => found.has(concern)) ?? 'field'
}

/**
 * A line of a text for people; between quotation marks where its end could not be seen, or where it holds what is shown
 * by an escape: within them a backslash of its own is doubled, so that no line is spelled like another.
 */
export function textLine(line: string): string {
  return /\s$|^"/.test(line) || visible(line) !== line ? JSON.stringify(line) : line
}

function leafInWords(concern: Concern, { path, value }: Leaf, around: Json): string[] {
  const place = path.length === 0 ? '' : `${placeInWords(path, around)}  `
  const head = `${concern.padEnd(WIDTH)}  ${place}`
  if (typeof value !== 'string' || !value.includes('\n')) return [`${head}${JSON.stringify(value)}`]
  const lines = value.split('\n')
  // What follows the last line end is nothing, as a rule.
  const rest = lines.at(-1) === '' ? lines.slice(0, -1) : lines
  const ending = rest === lines ? ', without a line end behind the last' : ''
  const indent = ' '.repeat(WIDTH)
  return [
    `${head}a text of ${rest.length} lines${ending}`,
    ...rest.map((line) => `${indent}  | ${textLine(line)}`),
  ]
}

function leavesOf(value: Json, path: Path): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  const parts: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? value.map((item: Json, index) => [index, item])
    : (Object.entries(value) as [string, Json][])
  if (parts.length === 0 || isLine(value)) return [{ path, value }]
  return parts.flatMap(([name, part]) => leavesOf(part, [...path, name]))
}

/** A command, for instance: words that are read one after the other. */
function isLine(value: Json): boolean {
  if (!Array.isArray(value) || value.length > MAX_LINE) return false
  const isFlat = value.every((item: Json) => typeof item !== 'object' || item === null)
  return isFlat && JSON.stringify(value).length <= MAX_LINE
}
