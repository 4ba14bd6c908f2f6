import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { parse } from 'yaml'
import { type ContractSchemas, mapSchemas, mapValues, type Schema } from './schemas.ts'
import { MODULE_HEADER } from './text.ts'

/** The paths are told by #contract/routes. */
const USED = new Set<string | undefined>(['components', 'operations'])

/** Writes the types of operations and models; documents without a route are among the models. */
export async function writeTypes(folder: string, schemas: ContractSchemas): Promise<void> {
  const document = parse(await readFile(join(folder, 'openapi.yaml'), 'utf8')) as OpenAPI3
  const all = { ...document.components, schemas: mapValues(schemas.$defs, relocated) }
  const source = { ...document, components: all } as OpenAPI3
  const nodes = await openapiTS(source, { alphabetize: true, defaultNonNullable: false, silent: true })
  const used = nodes.filter((node) =>
    USED.has((node as { readonly name?: { readonly text: string } }).name?.text),
  )
  await writeFile(join(folder, 'types.ts'), MODULE_HEADER + withShortComments(astToString(used)))
  await writeFile(join(folder, 'models.ts'), MODULE_HEADER + aliases(Object.keys(schemas.$defs)))
}

/** A doc comment on one line, without what the type says as well. */
function withShortComments(source: string): string {
  return source.replace(/^( *)\/\*\*(.*?)\*\/\n/gms, (_, indent: string, text: string) => {
    const words = text
      .replace(/^ *\*/gm, '')
      .replace(/@description|@enum \{\w+\}|Format: \w+/g, '')
      .replace(/\s+/g, ' ')
      .trim()
    return words === '' ? '' : `${indent}/** ${words} */\n`
  })
}

function relocated(schema: Schema): Schema {
  const inner = mapSchemas(schema, relocated)
  return schema.$ref ? { ...inner, $ref: schema.$ref.replace('#/$defs/', '#/components/schemas/') } : inner
}

function aliases(names: readonly string[]): string {
  const lines = names.map((name) => `export type ${name} = components['schemas']['${name}']\n`)
  return `import type { components } from './types.ts'\n\n${lines.join('')}`
}
