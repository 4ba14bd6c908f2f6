import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { parse } from 'yaml'
import { type ContractSchemas, mapSchemas, mapValues, type Schema } from './schemas.ts'
import { MODULE_HEADER } from './text.ts'

/** Writes the types of paths, operations and models; documents without a route are among the models. */
export async function writeTypes(folder: string, schemas: ContractSchemas): Promise<void> {
  const document = parse(await readFile(join(folder, 'openapi.yaml'), 'utf8')) as OpenAPI3
  const all = { ...document.components, schemas: mapValues(schemas.$defs, relocated) }
  const source = { ...document, components: all } as OpenAPI3
  const nodes = await openapiTS(source, { alphabetize: true, defaultNonNullable: false, silent: true })
  await writeFile(join(folder, 'types.ts'), MODULE_HEADER + astToString(nodes))
  await writeFile(join(folder, 'models.ts'), MODULE_HEADER + aliases(Object.keys(schemas.$defs)))
}

function relocated(schema: Schema): Schema {
  const inner = mapSchemas(schema, relocated)
  return schema.$ref ? { ...inner, $ref: schema.$ref.replace('#/$defs/', '#/components/schemas/') } : inner
}

function aliases(names: readonly string[]): string {
  const lines = names.map((name) => `export type ${name} = components['schemas']['${name}']\n`)
  return `import type { components } from './types.ts'\n\n${lines.join('')}`
}
