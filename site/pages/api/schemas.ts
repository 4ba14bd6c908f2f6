import type { Page } from '../../page.ts'
import { DOCUMENT, nameOf, type Schema, schemas } from './document.ts'

/** Every shape of the API on one page, each at an anchor of its own. */
export function schemasPage(): Page {
  const sections = Object.entries(schemas).map(([name, schema]) =>
    [`## ${name}`, '', schema.description ?? '', '', ...shapeOf(schema), ''].join('\n'),
  )
  return {
    address: 'api/schemas.html',
    title: 'Shapes',
    summary: 'Every shape of requests, answers and errors, field by field.',
    source: DOCUMENT,
    markdown: `# Shapes\n\nWhat requests, answers and errors are made of.\n\n${sections.join('\n')}`,
  }
}

/** The fields of a shape that is named. */
export function fieldsOf({ $ref = '' }: Schema): readonly string[] {
  return shapeOf(schemas[nameOf($ref)] ?? {})
}

/** A shape, as a table of its fields or as one line. */
export function shapeOf(schema: Schema): readonly string[] {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return [typeOf(schema)]
  return ['| Field | Type | What it is |', '|---|---|---|', ...rows]
}

function rowsOf({ properties = {}, required = [], items }: Schema, before: string): readonly string[] {
  if (items?.properties !== undefined) return rowsOf(items, `${before}[].`)
  return Object.entries(properties).flatMap(([name, field]) => {
    const isRequired = required.includes(name) ? '' : ', optional'
    const row = `| \`${before}${name}\` | ${typeOf(field)}${isRequired} | ${inCell(field.description ?? '')} |`
    const inner =
      field.items?.properties === undefined
        ? rowsOf(field, `${before}${name}.`)
        : rowsOf(field, `${before}${name}`)
    return [row, ...inner]
  })
}

/** The type of a field in words, with links to named ones. */
export function typeOf(schema: Schema): string {
  const { $ref, anyOf, items, format } = schema
  if ($ref !== undefined) return linkTo(nameOf($ref))
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  const types = [schema.type ?? 'anything'].flat().join(' or ')
  const list = items === undefined || items.properties !== undefined ? '' : ` of ${typeOf(items)}`
  return [`${types}${list}`, ...(format === undefined ? [] : [format]), ...boundsOf(schema)].join(', ')
}

function boundsOf({ minimum, maximum, minLength, minItems, maxItems, pattern }: Schema): readonly string[] {
  return [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(minLength === undefined ? [] : [minLength === 1 ? 'not empty' : `${minLength} characters or more`]),
    ...(minItems === undefined ? [] : [minItems === 1 ? 'not empty' : `${minItems} or more`]),
    ...(maxItems === undefined ? [] : [`${maxItems} at most`]),
    ...(pattern === undefined ? [] : [`as \`${pattern.replaceAll('|', '\\|')}\``]),
  ]
}

function linkTo(name: string): string {
  return `[${name}](/${DOCUMENT}#${name})`
}

/** Text as one cell of a table has it. */
export function inCell(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')
}
