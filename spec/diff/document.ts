/** An OpenAPI document as YAML gives it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export type JsonObject = { readonly [name: string]: Json | undefined }

/** What a change breaks, and where. */
export interface Breakage {
  /** Such as `POST /chat/completions, body .stream`. */
  readonly place: string
  readonly message: string
}

/** The released document and the one that is to follow it. */
export interface Pair {
  readonly released: JsonObject
  readonly current: JsonObject
}

/** The members of an object; none of anything else. */
export function membersOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

/** The entries of a list; none of anything else. */
export function entriesOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

/** What stands where a `$ref` leads; anything else as it is. */
export function resolve(value: Json | undefined, root: JsonObject): JsonObject {
  const reference = membersOf(value).$ref
  if (typeof reference !== 'string') return membersOf(value)
  const path = reference.replace(/^#\//, '').split('/')
  const target = path.reduce<Json | undefined>((at, name) => membersOf(at)[unescapePointer(name)], root)
  if (target === undefined) throw new Error(`${reference} leads nowhere`)
  return resolve(target, root)
}

/** The same value written the same way, whatever the order of its members; what only explains is left out. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const members = Object.entries(value as JsonObject).filter(([name]) => !isExplanation(name))
  return `{${members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
    .join()}}`
}

const explanations = new Set(['description', 'title', 'summary', 'examples', 'example', 'deprecated', 'tags'])

/** Whether a member says something to people only. */
export function isExplanation(name: string): boolean {
  return explanations.has(name) || (name.startsWith('x-') && name !== 'x-event-schema')
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
