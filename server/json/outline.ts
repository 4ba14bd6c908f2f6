import { byte, skipValue } from './scan.ts'
import { eachElement, STOP } from './walk.ts'

/** No schema here asks for more; the entry behind the last tells that there are too many (ours). */
const MAX_ENTRIES = 8

/**
 * A value as far as a schema judges it: scalars as they are, the first entries of a list, and of what is inside
 * those, and of objects, no more than the kind. A body may hold a million values that nobody here looks into.
 */
export function outlineOf(bytes: Buffer, start: number, end: number): unknown {
  if (bytes[start] !== byte.openBracket) return plainOf(bytes, start, end)
  const entries: unknown[] = []
  eachElement(bytes, start, (at) => {
    if (entries.length === MAX_ENTRIES) return STOP
    const entryEnd = skipValue(bytes, at)
    entries.push(plainOf(bytes, at, entryEnd))
    return entryEnd
  })
  return entries
}

function plainOf(bytes: Buffer, start: number, end: number): unknown {
  if (bytes[start] === byte.openBrace) return {}
  if (bytes[start] === byte.openBracket) return []
  return JSON.parse(bytes.toString('utf8', start, end))
}
