// @ts-check
import { getDoc } from '@typespec/compiler'
import { stateKeys } from './lib.js'
import { comment, key, list, text, writeModule } from './output.js'
import { fieldsOf, operationsOf, ordered, statusesOf } from './routes.js'

/**
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('@typespec/http').HttpOperation} HttpOperation
 * @typedef {{ id: string, doc: string | undefined, method: string, path: string, session: boolean,
 *   administrator: boolean, raw: boolean, query: string[], fields: string[], statuses: number[] }} Route
 */

/**
 * Writes the route table of the console's API: one row per operation.
 * @param {import('@typespec/compiler').EmitContext} context
 */
export async function emitConsole(context) {
  const routes = operationsOf(context.program, 'Console').map((operation) =>
    routeOf(context.program, operation),
  )
  if (routes.length > 0) await writeModule(context, 'console/routes.ts', routesModule(routes))
}

/**
 * @param {Program} program
 * @param {HttpOperation} http
 * @returns {Route}
 */
function routeOf(program, { operation, verb, path, authentication, parameters }) {
  const schemes = authentication?.options.flatMap((option) => option.schemes) ?? []
  const administrators = program.stateSet(stateKeys.administrators)
  return {
    id: operation.name,
    doc: getDoc(program, operation),
    method: verb,
    path,
    session: schemes.some((scheme) => scheme.type !== 'noAuth'),
    administrator: operation.interface !== undefined && administrators.has(operation.interface),
    raw: program.stateSet(stateKeys.raw).has(operation),
    query: parameters.parameters.flatMap(({ type, name }) => (type === 'query' ? [name] : [])),
    fields: fieldsOf(parameters.body?.type),
    statuses: ordered(statusesOf(program, operation.returnType)),
  }
}

/** @param {Route[]} routes */
function routesModule(routes) {
  return `/** Every operation of the console's API: where it is, who may call it, and what it can answer. */
export const consoleRoutes = {
${routes.map(entry).join('')}} as const satisfies Record<string, ConsoleRoute>

/** The name of one operation. */
export type ConsoleOperationId = keyof typeof consoleRoutes

/** One row of the route table; \`raw\` answers are bytes that no serializer may touch. */
export interface ConsoleRoute {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head'
  /** Below the console's base address; \`{name}\` marks a parameter. Of two that fit, the earlier row is meant. */
  readonly path: string
  /** Whether somebody has to be signed in. */
  readonly session: boolean
  /** Whether that has to be an administrator. */
  readonly administrator: boolean
  readonly raw: boolean
  /** Parameters behind the question mark; all others are refused. */
  readonly query: readonly string[]
  /** Fields of the body; all others are refused. */
  readonly fields: readonly string[]
  readonly statuses: readonly number[]
}
`
}

/** @param {Route} route */
function entry({ id, doc, method, path, session, administrator, raw, query, fields, statuses }) {
  return (
    comment(doc, '  ') +
    `  ${key(id)}: {\n    method: ${text(method)},\n    path: ${text(path)},\n    session: ${session},\n` +
    `    administrator: ${administrator},\n    raw: ${raw},\n    query: ${list(query)},\n` +
    `    fields: ${list(fields)},\n    statuses: ${list(statuses)},\n  },\n`
  )
}
