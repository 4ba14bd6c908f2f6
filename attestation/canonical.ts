import type { Json, JsonObject } from './json-value.ts'

/**
 * The canonical JSON of a value (RFC 8785): no white space, members in the order of their names' UTF-16 units, texts
 * and numbers as ECMAScript writes them. Values are those that `parseJson` gives: finite, well-formed, never circular.
 */
export function canonicalJson(value: Json): string {
  const parts: string[] = []
  write(value, parts)
  return parts.join('')
}

/** Appends; putting texts together level by level would copy what is deep down once for each level. */
function write(value: Json, parts: string[]): void {
  if (typeof value === 'string') parts.push(JSON.stringify(value))
  // As ECMAScript writes them, and so does JSON.stringify, in twice the time; -0 is 0 in both.
  else if (typeof value !== 'object' || value === null) parts.push(String(value))
  else if (isList(value)) writeList(value, parts)
  else writeObject(value, parts)
}

function writeList(list: readonly Json[], parts: string[]): void {
  let before = '['
  for (const value of list) {
    parts.push(before)
    write(value, parts)
    before = ','
  }
  parts.push(before === ',' ? ']' : '[]')
}

function writeObject(object: JsonObject, parts: string[]): void {
  let before = '{'
  for (const name of Object.keys(object).sort()) {
    parts.push(before, JSON.stringify(name), ':')
    write(object[name] ?? null, parts)
    before = ','
  }
  parts.push(before === ',' ? '}' : '{}')
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value)
}
