import { type Ordered, parseOrdered } from './ordered.ts'

/** A field of a struct: a scalar, anything at all, a pointer to a number, to a struct, or a slice of structs. */
export type Field =
  | 'string'
  | 'bool'
  | '*int'
  | 'any'
  | { readonly struct: Struct }
  | { readonly slice: Struct }

/** The fields that a program in Go declares, by the names of their tags. */
export type Struct = { readonly [name: string]: Field }

type Read = Record<string, unknown>

/** What such a program could not decode into its types. */
class Mismatch extends Error {}

/**
 * Reads text as `encoding/json` of Go decodes it into a struct: a name that is not there exactly is looked for by
 * Unicode's simple folding, every member is stored in its order, the last one wins, and null changes no scalar.
 * Undefined where Go gives an error. Compared with the real one by `tests/readers`.
 */
export function readLikeGo(text: string, struct: Struct): Read | undefined {
  try {
    return decode(parseOrdered(text), struct, zero(struct))
  } catch (error) {
    if (error instanceof Mismatch || error instanceof SyntaxError) return undefined
    throw error
  }
}

function zero(struct: Struct): Read {
  const zeros = { string: '', bool: false, '*int': null, any: null }
  return Object.fromEntries(
    Object.entries(struct).map(([name, field]) => [name, typeof field === 'string' ? zeros[field] : null]),
  )
}

function decode(value: Ordered, struct: Struct, into: Read): Read {
  if (value === null) return into
  if (typeof value !== 'object' || Array.isArray(value) || !('members' in value)) throw new Mismatch()
  for (const [name, member] of value.members) {
    const known = fieldOf(struct, name)
    if (known !== undefined) into[known] = decodeField(member, struct[known]!, into[known])
  }
  return into
}

function fieldOf(struct: Struct, name: string): string | undefined {
  if (Object.hasOwn(struct, name)) return name
  return Object.keys(struct).find((field) => fold(field) === fold(name))
}

/** Of ASCII, the only others that Unicode's simple folding brings there are the long s and the Kelvin sign. */
function fold(name: string): string {
  return name
    .replace(/[a-z]/g, (letter) => letter.toUpperCase())
    .replaceAll('\u017f', 'S')
    .replaceAll('\u212a', 'K')
}

function decodeField(value: Ordered, field: Field, before: unknown): unknown {
  if (field === 'any') return plain(value)
  if (value === null) return field === 'string' || field === 'bool' ? before : null
  if (field === 'string' && typeof value === 'string') return value
  if (field === 'bool' && typeof value === 'boolean') return value
  if (field === '*int' && Number.isInteger(value)) return value
  if (typeof field === 'string') throw new Mismatch()
  if ('struct' in field) return decode(value, field.struct, (before as Read | null) ?? zero(field.struct))
  if (!Array.isArray(value)) throw new Mismatch()
  return (value as readonly Ordered[]).map((entry) => decode(entry, field.slice, zero(field.slice)))
}

function plain(value: Ordered): unknown {
  if (Array.isArray(value)) return (value as readonly Ordered[]).map(plain)
  if (typeof value !== 'object' || value === null || !('members' in value)) return value
  return Object.fromEntries(value.members.map(([name, member]) => [name, plain(member)]))
}
