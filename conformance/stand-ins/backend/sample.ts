import { isObject } from '#base/object.ts'

// Ours: a schema may refer to itself or be very deep.
const MAX_DEPTH = 8

/** Arguments that suit a tool's JSON schema, as the text a model would write. */
export function sampleArguments(schema: unknown): string {
  const sample = sampleOf(schema, 0)
  return JSON.stringify(isObject(sample) ? sample : {})
}

function sampleOf(schema: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return null
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'string') return 'Paris'
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  if (type === 'array') return [sampleOf(schema.items, depth + 1)]
  if (type === 'object' || 'properties' in schema) return sampleObject(schema, depth)
  return null
}

function sampleObject(schema: Readonly<Record<string, unknown>>, depth: number): unknown {
  const properties = isObject(schema.properties) ? schema.properties : {}
  return Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [key, sampleOf(property, depth + 1)]),
  )
}
