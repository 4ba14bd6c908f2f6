// @ts-check
import { byCodeUnit } from './output.js'

/** @typedef {import('./schema.js').Schema} Schema */

/**
 * Moves the refusals that operations have in common out of them, so that each stands once.
 * @param {Schema} document
 * @returns {Schema}
 */
export function withSharedRefusals({ paths, components, ...rest }) {
  /** @type {Map<string, Schema>} */
  const shared = new Map()
  for (const [name, response] of refusalsOf(paths)) if (!shared.has(name)) shared.set(name, response)
  const same = (/** @type {string | undefined} */ name, /** @type {Schema} */ response) =>
    name !== undefined && JSON.stringify(shared.get(name)) === JSON.stringify(response)
  const responses = Object.fromEntries([...shared].sort(([a], [b]) => byCodeUnit(a, b)))
  return { ...rest, paths: mapResponses(paths, refer), components: { ...components, responses } }

  /** @param {Schema} response */
  function refer(response) {
    const name = nameOf(response)
    return same(name, response) ? { $ref: `#/components/responses/${name}` } : response
  }
}

/**
 * @param {Schema} paths
 * @returns {[string, Schema][]}
 */
function refusalsOf(paths) {
  /** @type {[string, Schema][]} */
  const refusals = []
  mapResponses(paths, (response, status) => {
    const name = nameOf(response)
    if (status >= 400 && name) refusals.push([name, response])
    return response
  })
  return refusals
}

/**
 * The models of a JSON body, by which a response is known.
 * @param {Schema} response
 * @returns {string | undefined}
 */
function nameOf({ content }) {
  const schema = content['application/json']?.schema
  const bodies = schema?.anyOf ?? [schema ?? {}]
  const names = bodies.map((/** @type {Schema} */ { $ref }) => $ref?.split('/').at(-1))
  return names.every(Boolean) ? names.join('Or') : undefined
}

/**
 * @param {Schema} paths
 * @param {(response: Schema, status: number) => Schema} rewrite
 * @returns {Schema}
 */
function mapResponses(paths, rewrite) {
  return mapEntries(paths, (item) =>
    mapEntries(item, (operation) => {
      if (!operation.responses) return operation
      return {
        ...operation,
        responses: mapEntries(operation.responses, (one, status) => rewrite(one, Number(status))),
      }
    }),
  )
}

/**
 * @param {Schema} object
 * @param {(value: Schema, name: string) => Schema} rewrite
 * @returns {Schema}
 */
function mapEntries(object, rewrite) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, rewrite(value, name)]))
}
