import type { Page } from '../../page.ts'
import { type Api, nameOf, type Schema } from './document.ts'

/** Every shape of the API on one page, each at an anchor of its own. */
export function schemasPage(api: Api): Page {
  const sections = Object.entries(api.schemas).map(([name, schema]) =>
    [`## ${name}`, '', schema.description ?? '', '', ...shapeOf(api, schema), ''].join('\n'),
  )
  return {
    address: `${api.folder}/schemas.html`,
    title: 'Shapes',
    summary: 'Every shape of requests, answers and errors, field by field.',
    source: api.file,
    markdown: `# Shapes\n\nWhat requests, answers and errors are made of.\n\n${sections.join('\n')}`,
  }
}

/** The fields of a shape that is named. */
export function fieldsOf(api: Api, { $ref = '' }: Schema): readonly string[] {
  return shapeOf(api, api.schemas[nameOf($ref)] ?? {})
}

/** A shape, as a table of its fields or as one line. */
export function shapeOf(api: Api, schema: Schema): readonly string[] {
  const rows = rowsOf(api, schema, '')
  if (rows.length === 0) return [typeOf(api, schema)]
  return ['| Field | Type | What it is |', '|---|---|---|', ...rows]
}

function rowsOf(api: Api, schema: Schema, before: string): readonly string[] {
  const { properties = {}, required = [], items } = schema
  if (items?.properties !== undefined) return rowsOf(api, items, `${before}[].`)
  return Object.entries(properties).flatMap(([name, field]) => {
    const isRequired = required.includes(name) ? '' : ', optional'
    const row = `| \`${before}${name}\` | ${typeOf(api, field)}${isRequired} | ${inCell(field.description ?? '')} |`
    const inner =
      field.items?.properties === undefined
        ? rowsOf(api, field, `${before}${name}.`)
        : rowsOf(api, field, `${before}${name}`)
    return [row, ...inner]
  })
}

/** The type of a field in words, with links to named ones. */
export function typeOf(api: Api, schema: Schema): string {
  const { $ref, anyOf, items, format } = schema
  if ($ref !== undefined) return linkTo(api, nameOf($ref))
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(api, one)).join(' or ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  const types = [schema.type ?? 'anything'].flat().join(' or ')
  const list = items === undefined || items.properties !== undefined ? '' : ` of ${typeOf(api, items)}`
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

function linkTo({ file }: Api, name: string): string {
  return `[${name}](/${file}#${name})`
}

/** Text as one cell of a table has it. */
export function inCell(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')
}
