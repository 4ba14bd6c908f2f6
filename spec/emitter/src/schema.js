// @ts-check

/** @typedef {{ [keyword: string]: any }} Schema */

/**
 * A schema in the form that is published: optional null and unions of plain types become one list of types, so that
 * a refusal names the place and not "one of these"; unknown members pass where they are let through.
 * @param {Schema} schema
 * @returns {Schema}
 */
export function published(schema) {
  const { unevaluatedProperties, description, ...rest } = mapSchemas(schema, published)
  const merged = mergeUnion(rest)
  return {
    ...merged,
    ...(unevaluatedProperties === undefined ? {} : { additionalProperties: true }),
    ...(description === undefined ? {} : { description: unwrapped(description) }),
  }
}

/**
 * Rewrites the schemas directly inside a schema.
 * @param {Schema} schema
 * @param {(inner: Schema) => Schema} rewrite
 * @returns {Schema}
 */
export function mapSchemas(schema, rewrite) {
  /** @type {Schema} */
  const result = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties' || keyword === '$defs') {
      result[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, rewrite(inner)]),
      )
    } else if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf') {
      result[keyword] = value.map(rewrite)
    } else if ((keyword === 'items' || keyword === 'additionalProperties') && typeof value === 'object') {
      result[keyword] = rewrite(value)
    } else {
      result[keyword] = value
    }
  }
  return result
}

/**
 * Paragraphs as single lines: doc comments are wrapped at will in the sources.
 * @param {string} text
 */
export function unwrapped(text) {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .join('\n\n')
}

/** Keywords whose meaning does not depend on the type of the value. */
const UNTYPED = ['enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref']

/**
 * Joins alternatives of different types into one schema. Each keyword speaks of one type only (`minimum` of numbers,
 * `items` of arrays), so that nothing changes in meaning.
 * @param {Schema} schema
 * @returns {Schema}
 */
function mergeUnion({ anyOf, ...rest }) {
  if (!anyOf) return rest
  const types = anyOf.map((/** @type {Schema} */ one) => one.type)
  const plain = anyOf.every(
    (/** @type {Schema} */ one) => typeof one.type === 'string' && !UNTYPED.some((keyword) => keyword in one),
  )
  if (!plain || new Set(types).size < types.length) return { anyOf, ...rest }
  return { ...Object.assign({}, ...anyOf), ...rest, type: types }
}
