import { parse } from 'yaml'
import { read } from '../../project.ts'

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

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** One operation. */
export interface Operation {
  readonly method: (typeof METHODS)[number]
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
    readonly responses?: Readonly<Record<string, Reply>>
  }
}

/** An API that has a reference, of the document that says it. */
export interface Api {
  /** The file that all of the reference is made of. */
  readonly file: string
  /** Where its pages are, below the site's folder. */
  readonly folder: string
  readonly title: string
  /** What it is, in words. */
  readonly about: string
  /** Every schema by its name. */
  readonly schemas: Readonly<Record<string, Schema>>
  /** Replies that operations only name. */
  readonly replies: Readonly<Record<string, Reply>>
  /** Every operation, in the order of the document. */
  readonly operations: readonly Operation[]
}

/** What clients call. */
export const routerApi = readApi('generated/openapi.yaml', 'api', 'API')

/** What the console's page calls, and administrators' own programs may. */
export const consoleApi = readApi('generated/console/openapi.yaml', 'console-api', 'The console’s API')

function readApi(file: string, folder: string, title: string): Api {
  const { info, paths, components } = parse(read(file)) as OpenApi
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as Omit<Operation, 'method' | 'path' | 'isElsewhere'> | undefined
      return operation === undefined ? [] : [{ ...operation, method, path, isElsewhere: 'servers' in item }]
    }),
  )
  const { schemas, responses: replies = {} } = components
  return { file, folder, title, about: info.description, schemas, replies, operations }
}

/** A reply, where the operation only names it. */
export function replyOf({ replies }: Api, reply: Reply): Reply {
  return reply.$ref === undefined ? reply : replies[nameOf(reply.$ref)]!
}

/** The name at the end of a reference. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** The codes that an error of this shape can have. */
export function codesOf(api: Api, schema: Schema): readonly string[] {
  const { schemas } = api
  if (schema.$ref !== undefined) return codesOf(api, schemas[nameOf(schema.$ref)]!)
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => codesOf(api, one))
  const code = schema.properties?.error?.properties?.code
  if (code === undefined) return []
  return (code.$ref === undefined ? code.enum : schemas[nameOf(code.$ref)]!.enum)?.map(String) ?? []
}
