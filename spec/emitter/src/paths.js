// @ts-check
import { stateKeys } from './lib.js'
import { collectRoutes } from './routes.js'
import { published, unwrapped } from './schema.js'

/**
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('./schema.js').Schema} Schema
 */

/**
 * The paths of a 3.2 document as 3.1 knows them.
 * @param {Program} program
 * @param {Schema} paths
 * @param {Schema} schemas
 * @returns {Schema}
 */
export function pathsOf(program, paths, schemas) {
  const addresses = addressesOf(program)
  const entries = Object.entries(paths).map(([path, item]) => {
    const address = addresses.get(path)
    const operations = Object.entries(item).map(([method, operation]) => [
      method,
      operationOf(operation, schemas),
    ])
    return [path, { ...(address ? { servers: [serverOf(address)] } : {}), ...Object.fromEntries(operations) }]
  })
  return Object.fromEntries(entries)
}

/**
 * An object with its description in whole lines.
 * @template {Schema} T
 * @param {T} object
 * @returns {T}
 */
export function described(object) {
  return object.description === undefined ? object : { ...object, description: unwrapped(object.description) }
}

/**
 * Where the operations are that the router does not serve.
 * @param {Program} program
 * @returns {Map<string, string>}
 */
function addressesOf(program) {
  const addresses = new Map()
  const servers = new Map()
  for (const [operation, { address }] of program.stateMap(stateKeys.servers)) {
    servers.set(/** @type {import('@typespec/compiler').Operation} */ (operation).name, address)
  }
  for (const { id, path } of collectRoutes(program)) {
    const address = servers.get(id)
    if (address) addresses.set(path, address)
  }
  return addresses
}

/**
 * An address whose parts in braces each client fills in.
 * @param {string} url
 */
function serverOf(url) {
  const variables = [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, { default: 'localhost' }])
  return { url, ...(variables.length > 0 ? { variables: Object.fromEntries(variables) } : {}) }
}

/**
 * @param {Schema} operation
 * @param {Schema} schemas
 * @returns {Schema}
 */
function operationOf({ operationId, parameters, requestBody, responses, ...rest }, schemas) {
  const statuses = Object.entries(responses)
  return described({
    operationId: operationId.replace(/^.*_/, ''),
    ...rest,
    parameters: parameters.map(parameterOf),
    ...(requestBody ? { requestBody } : {}),
    responses: Object.fromEntries(
      statuses.map(([status, response]) => [status, responseOf(response, schemas)]),
    ),
  })
}

/** @param {Schema} parameter */
function parameterOf({ schema, ...parameter }) {
  return described({ ...parameter, schema: published(schema) })
}

/**
 * A response tells what its bodies are; a refusal does so in the words of its rows.
 * @param {Schema} response
 * @param {Schema} schemas
 */
function responseOf({ description, headers = {}, content = {} }, schemas) {
  const types = Object.entries(content).map(([type, media]) => ({ type, media: mediaOf(media) }))
  const bodies = types.flatMap(({ media: { schema } }) => schema.anyOf ?? [schema])
  const docs = bodies.map(({ $ref = '' }) => schemas[$ref.split('/').at(-1)]?.description).filter(Boolean)
  return {
    description: docs.length > 0 ? docs.join(' Or: ') : unwrapped(description),
    headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, parameterOf(header)])),
    content: Object.fromEntries(types.map(({ type, media }) => [type, media])),
  }
}

/**
 * @param {Schema} media
 * @returns {Schema}
 */
function mediaOf({ schema, itemSchema }) {
  if (!itemSchema) return { schema: withoutRepeats(published(schema)) }
  const events = itemSchema.oneOf.map(
    (/** @type {Schema} */ { properties: { data } }) => data.contentSchema ?? { const: data.const },
  )
  return { schema: { type: 'string' }, 'x-event-schema': { anyOf: events } }
}

/**
 * The router and the proxy can refuse with the same body, which then stands here twice.
 * @param {Schema} schema
 * @returns {Schema}
 */
function withoutRepeats({ anyOf, ...rest }) {
  if (!anyOf) return rest
  const texts = new Set(anyOf.map((/** @type {Schema} */ one) => JSON.stringify(one)))
  const different = [...texts].map((text) => JSON.parse(text))
  return different.length === 1 ? { ...different[0], ...rest } : { anyOf: different, ...rest }
}
