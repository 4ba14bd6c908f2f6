import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { parse } from 'yaml'
import { type ContractSchemas, mapSchemas, mapValues, type Schema } from './schemas.ts'
import { MODULE_HEADER } from './text.ts'

/**
 * Writes the types of paths, operations and models; documents without a route are among the models. The console's are
 * a module of their own, which needs no other: a page reads nothing else.
 */
export async function writeTypes(folder: string, schemas: ContractSchemas): Promise<void> {
  const document = await readDocument(join(folder, 'openapi.yaml'))
  const all = { ...document.components, schemas: mapValues(schemas.$defs, relocated) }
  await writeFile(join(folder, 'types.ts'), await typesOf({ ...document, components: all } as OpenAPI3))
  const console = await readDocument(join(folder, 'console', 'openapi.yaml'))
  await writeFile(join(folder, 'console', 'types.ts'), await typesOf(console))
  const consoleModels = Object.keys(console.components?.schemas ?? {})
  await writeFile(join(folder, 'console', 'models.ts'), MODULE_HEADER + aliases(consoleModels))
  await writeFile(join(folder, 'models.ts'), MODULE_HEADER + aliases(Object.keys(schemas.$defs)))
}

async function readDocument(file: string): Promise<OpenAPI3> {
  return parse(await readFile(file, 'utf8')) as OpenAPI3
}

async function typesOf(document: OpenAPI3): Promise<string> {
  const nodes = await openapiTS(document, { alphabetize: true, defaultNonNullable: false, silent: true })
  return MODULE_HEADER + astToString(nodes)
}

function relocated(schema: Schema): Schema {
  const inner = mapSchemas(schema, relocated)
  return schema.$ref ? { ...inner, $ref: schema.$ref.replace('#/$defs/', '#/components/schemas/') } : inner
}

function aliases(names: readonly string[]): string {
  const lines = names.map((name) => `export type ${name} = components['schemas']['${name}']\n`)
  return `import type { components } from './types.ts'\n\n${lines.join('')}`
}
