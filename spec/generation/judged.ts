import { mapSchemas, type Schema } from './schemas.ts'

type Definitions = Readonly<Record<string, Schema>>

const ANNOTATIONS = new Set(['description', 'examples', 'title', 'format', 'x-opaque'])
const KEPT_FORMATS = new Set(['date-time'])

/** Keywords whose meaning does not depend on the type of the value. */
const UNTYPED = ['enum', 'const', 'anyOf', '$ref']

/** What is judged of an opaque value: its own type and size, nothing inside. */
const OUTER = ['type', '$ref', 'anyOf', 'minItems', 'maxItems']

/**
 * A schema as a validator sees it: alternatives of different types joined, so that a refusal names the place at
 * fault instead of "one of these"; opaque values judged from outside alone; no annotations.
 */
export function judged(schema: Schema, definitions: Definitions): Schema {
  const visible = schema['x-opaque'] ? outside(schema, definitions) : schema
  const inner = mapSchemas(visible, (one) => judged(one, definitions))
  return withoutAnnotations(joined(inner, definitions))
}

function outside(schema: Schema, definitions: Definitions): Schema {
  const target = resolved(schema, definitions)
  return Object.fromEntries(Object.entries(target).filter(([keyword]) => OUTER.includes(keyword)))
}

function joined(schema: Schema, definitions: Definitions): Schema {
  const { anyOf, ...rest } = schema
  if (!anyOf) return schema
  const alternatives = anyOf.flatMap((one) => flattened(one, definitions))
  const types = alternatives.flatMap(({ type = [] }) => type)
  const plain = alternatives.every((one) => one.type && !UNTYPED.some((keyword) => keyword in one))
  if (!plain || new Set(types).size < types.length) return schema
  return { ...Object.assign({}, ...alternatives), ...rest, type: types }
}

function flattened(schema: Schema, definitions: Definitions): readonly Schema[] {
  const target = judgedTarget(schema, definitions)
  return target.anyOf?.flatMap((one) => flattened(one, definitions)) ?? [target]
}

function judgedTarget(schema: Schema, definitions: Definitions): Schema {
  return schema.$ref ? judged(resolved(schema, definitions), definitions) : schema
}

function resolved(schema: Schema, definitions: Definitions): Schema {
  if (!schema.$ref) return schema
  const name = schema.$ref.replace('#/$defs/', '')
  const target = definitions[name]
  if (!target) throw new Error(`No model is named ${name}.`)
  return target
}

function withoutAnnotations(schema: Schema): Schema {
  const entries = Object.entries(schema).filter(
    ([keyword, value]) => !ANNOTATIONS.has(keyword) || KEPT_FORMATS.has(String(value)),
  )
  return Object.fromEntries(entries)
}
