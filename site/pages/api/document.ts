import { parse } from 'yaml'
import { read } from '../../project.ts'

/** The file that all of the reference is made of. */
export const DOCUMENT = 'generated/openapi.yaml'

/** A schema, as far as the reference shows it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
}

/** A header or a parameter. */
export interface Named {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

/** What an operation answers by one status. */
export interface Reply {
  readonly $ref?: string
  readonly description: string
  readonly headers?: Readonly<Record<string, Omit<Named, 'name' | 'in'>>>
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly 'x-event-schema'?: Schema }>>
}

/** One operation. */
export interface Operation {
  readonly method: 'get' | 'post'
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly object[]
  readonly parameters?: readonly Named[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, Reply>>
  /** Whether another host than the router answers it. */
  readonly isElsewhere: boolean
}

interface OpenApi {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Reply>>
  }
}

const document = parse(read(DOCUMENT)) as OpenApi

/** What the API is, in words. */
export const about = document.info.description

/** Every schema by its name. */
export const schemas = document.components.schemas

/** Every operation, in the order of the document. */
export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  (['get', 'post'] as const).flatMap((method) => {
    const operation = item[method] as Omit<Operation, 'method' | 'path' | 'isElsewhere'> | undefined
    return operation === undefined ? [] : [{ ...operation, method, path, isElsewhere: 'servers' in item }]
  }),
)

/** A reply, where the operation only names it. */
export function replyOf(reply: Reply): Reply {
  return reply.$ref === undefined ? reply : document.components.responses[nameOf(reply.$ref)]!
}

/** The name at the end of a reference. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** The codes that an error of this shape can have. */
export function codesOf(schema: Schema): readonly string[] {
  if (schema.$ref !== undefined) return codesOf(schemas[nameOf(schema.$ref)]!)
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(codesOf)
  const code = schema.properties?.error?.properties?.code
  if (code === undefined) return []
  return (code.$ref === undefined ? code.enum : schemas[nameOf(code.$ref)]!.enum)?.map(String) ?? []
}
