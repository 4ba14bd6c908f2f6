import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { parse } from 'yaml'
import { type ContractSchemas, mapSchemas, mapValues, type Schema } from './schemas.ts'
import { MODULE_HEADER } from './text.ts'

/** The paths of the router's API are told by #contract/routes; a page's client goes by those of the console's. */
const USED = new Set<string | undefined>(['components', 'operations'])

/**
 * Writes the types of operations and models; documents without a route are among the models. The console's are a module
 * of their own, which needs no other: a page reads nothing else.
 */
export async function writeTypes(folder: string, schemas: ContractSchemas): Promise<void> {
  const document = await readDocument(join(folder, 'openapi.yaml'))
  const all = { ...document.components, schemas: mapValues(schemas.$defs, relocated) }
  const source = { ...document, components: all } as OpenAPI3
  await writeFile(join(folder, 'types.ts'), await typesOf(source, (name) => USED.has(name)))
  const console = await readDocument(join(folder, 'console', 'openapi.yaml'))
  await writeFile(join(folder, 'console', 'types.ts'), await typesOf(console))
  const consoleModels = Object.keys(console.components?.schemas ?? {})
  await writeFile(join(folder, 'console', 'models.ts'), MODULE_HEADER + aliases(consoleModels))
  await writeFile(join(folder, 'models.ts'), MODULE_HEADER + aliases(Object.keys(schemas.$defs)))
}

async function readDocument(file: string): Promise<OpenAPI3> {
  return parse(await readFile(file, 'utf8')) as OpenAPI3
}

async function typesOf(document: OpenAPI3, isUsed = (_: string | undefined) => true): Promise<string> {
  const nodes = await openapiTS(document, { alphabetize: true, defaultNonNullable: false, silent: true })
  const used = nodes.filter((node) =>
    isUsed((node as { readonly name?: { readonly text: string } }).name?.text),
  )
  return MODULE_HEADER + withShortComments(astToString(used))
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
