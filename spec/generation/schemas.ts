import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** A JSON Schema, as far as the generation looks into one. */
export interface Schema {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
}

/** Every model of the contract by name, and those that get a validator. */
export interface ContractSchemas {
  readonly $defs: Readonly<Record<string, Schema>>
  readonly 'x-validators': readonly string[]
}

/** Takes the schema of all models, which the emitter wrote, out of the folder: only the generation reads it. */
export async function takeSchemas(folder: string): Promise<ContractSchemas> {
  const file = join(folder, 'contract.schema.json')
  const text = await readFile(file, 'utf8')
  await rm(file)
  return JSON.parse(text) as ContractSchemas
}

/** Rewrites the schemas directly inside a schema. */
export function mapSchemas(schema: Schema, rewrite: (inner: Schema) => Schema): Schema {
  const { properties, items, anyOf, additionalProperties: more } = schema
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, rewrite) }),
    ...(items && { items: rewrite(items) }),
    ...(anyOf && { anyOf: anyOf.map(rewrite) }),
    ...(typeof more === 'object' && { additionalProperties: rewrite(more) }),
  }
}

/** An object with each value rewritten. */
export function mapValues<A, B>(
  object: Readonly<Record<string, A>>,
  rewrite: (value: A) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, rewrite(value)]))
}
