// @ts-check
import { getDoc } from '@typespec/compiler'
import { getAllHttpServices, getStatusCodes, isStatusCode } from '@typespec/http'
import { stateKeys } from './lib.js'
import { comment, key, list, text, writeModule } from './output.js'

/**
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('@typespec/compiler').Type} Type
 * @typedef {import('@typespec/http').HttpOperation} HttpOperation
 * @typedef {{ id: string, doc: string | undefined, method: string, path: string, server: string, key: boolean,
 *   metered: boolean, raw: boolean, fields: string[], statuses: number[] }} Route
 */

/**
 * Writes the route table: one row per operation.
 * @param {import('@typespec/compiler').EmitContext} context
 */
export async function emitRoutes(context) {
  const routes = collectRoutes(context.program)
  const proxied = collectProxyStatuses(context.program)
  await writeModule(context, 'routes.ts', routesModule(routes, proxied))
}

/**
 * The operations of the public API in the order of the sources.
 * @param {Program} program
 * @returns {Route[]}
 */
export function collectRoutes(program) {
  return operationsOf(program, 'Router').map((operation) => routeOf(program, operation))
}

/**
 * The operations of one service.
 * @param {Program} program
 * @param {string} service
 * @returns {HttpOperation[]}
 */
export function operationsOf(program, service) {
  const [services] = getAllHttpServices(program)
  return services
    .filter(({ namespace }) => namespace.name === service)
    .flatMap(({ operations }) => operations)
}

/**
 * Statuses that any route may answer with when the verifying proxy stands before the router.
 * @param {Program} program
 */
function collectProxyStatuses(program) {
  return ordered([...program.stateSet(stateKeys.throughProxy)].flatMap((type) => variants(program, type)))
}

/**
 * @param {Program} program
 * @param {HttpOperation} http
 * @returns {Route}
 */
function routeOf(program, { operation, verb, path, authentication, parameters }) {
  const server = program.stateMap(stateKeys.servers).get(operation)
  const schemes = authentication?.options.flatMap((option) => option.schemes) ?? []
  return {
    id: operation.name,
    doc: getDoc(program, operation),
    method: verb,
    path,
    server: server?.program ?? 'router',
    key: schemes.some((scheme) => scheme.type !== 'noAuth'),
    metered: program.stateSet(stateKeys.metered).has(operation),
    raw: program.stateSet(stateKeys.raw).has(operation),
    fields: fieldsOf(parameters.body?.type),
    statuses: ordered(statusesOf(program, operation.returnType)),
  }
}

/**
 * The names that the contract gives to fields of a request's body.
 * @param {Type | undefined} body
 * @returns {string[]}
 */
export function fieldsOf(body) {
  return body?.kind === 'Model' ? [...body.properties.keys()] : []
}

/**
 * The statuses of a response type, without those that only the proxy gives.
 * @param {Program} program
 * @param {Type} type
 * @returns {number[]}
 */
export function statusesOf(program, type) {
  if (type.kind === 'Union') {
    return program.stateSet(stateKeys.throughProxy).has(type) ? [] : variants(program, type)
  }
  if (type.kind !== 'Model') return [200]
  const status = [...type.properties.values()].find((property) => isStatusCode(program, property))
  if (!status) return [200]
  return getStatusCodes(program, status).filter((code) => typeof code === 'number')
}

/**
 * @param {Program} program
 * @param {Type} union
 */
function variants(program, union) {
  if (union.kind !== 'Union') return []
  return [...union.variants.values()].flatMap(({ type }) => statusesOf(program, type))
}

/** @param {number[]} statuses */
export function ordered(statuses) {
  return [...new Set(statuses)].sort((a, b) => a - b)
}

/**
 * @param {Route[]} routes
 * @param {number[]} proxied
 */
function routesModule(routes, proxied) {
  return `/** Every operation: where it is, who serves it, and what it can answer. */
export const routes = {
${routes.map(entry).join('')}} as const satisfies Record<string, Route>

/** Statuses that the verifying proxy can give on any route, whatever the router would have said. */
export const proxyStatuses = ${list(proxied)} as const

/** The name of one operation. */
export type OperationId = keyof typeof routes

/** One row of the route table; \`raw\` answers are bytes that no serializer may touch. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head'
  /** Below the base URL; \`{name}\` marks a parameter. */
  readonly path: string
  readonly server: 'router' | 'platform' | 'proxy'
  /** Whether a key is required. */
  readonly key: boolean
  /** Whether an accepted request leaves a generation and a debit. */
  readonly metered: boolean
  readonly raw: boolean
  /** Fields of the request's body that the router honours; all others are forwarded unread. */
  readonly fields: readonly string[]
  readonly statuses: readonly number[]
}
`
}

/** @param {Route} route */
function entry({ id, doc, method, path, server, key: keyed, metered, raw, fields, statuses }) {
  return (
    comment(doc, '  ') +
    `  ${key(id)}: {\n    method: ${text(method)},\n    path: ${text(path)},\n    server: ${text(server)},\n` +
    `    key: ${keyed},\n    metered: ${metered},\n    raw: ${raw},\n    fields: ${list(fields)},\n    statuses: ${list(statuses)},\n  },\n`
  )
}
