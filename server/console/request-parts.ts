import type { IncomingMessage } from 'node:http'
import { limits } from '#contract/limits'
import type { Validator } from '#contract/validator'
import { readBody } from '../bodies/body.ts'
import type { BodyLease } from '../bodies/body-memory.ts'
import { ApiError } from '../errors.ts'

/** The parameters behind the question mark, each known and there once. Throws 400 `unsupported_parameter`. */
export function readQuery(search: string, known: readonly string[]): Record<string, string> {
  const query: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(search)) {
    const problem = !known.includes(name)
      ? 'There is no such parameter.'
      : Object.hasOwn(query, name)
        ? `${name} stands twice.`
        : value.includes('\u0000')
          ? `${name} holds a character that nothing here can have.`
          : undefined
    if (problem !== undefined) throw new ApiError('unsupported_parameter', problem, { param: name })
    query[name] = value
  }
  return query
}

/**
 * Reads a body of JSON and holds it against its schema. Throws 415 `unsupported_media_type`, 413, 408, and 400
 * `invalid_json`, `missing_field` or `unsupported_parameter`; nothing of the body stands in a message.
 */
export async function readJsonBody(
  incoming: IncomingMessage,
  validate: Validator,
  lease: BodyLease,
): Promise<unknown> {
  const { 'content-type': type = '', 'content-encoding': encoding } = incoming.headers
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type) || encoding !== undefined) {
    throw new ApiError('unsupported_media_type', 'The console takes application/json, not encoded.')
  }
  try {
    const body = parse(await readBody(incoming, { maxBytes: limits.maxConsoleBodyBytes, lease }))
    if (!validate(body)) throw refusalOf(validate)
    if (hasNul(body)) throw new ApiError('unsupported_parameter', 'A text holds a NUL character.')
    return body
  } finally {
    lease.release()
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    // Its own words would quote the body.
    throw new ApiError('invalid_json', 'The body is not JSON.')
  }
}

function refusalOf({ errors }: Validator): ApiError {
  const [first] = errors ?? []
  const { keyword, instancePath = '', params, message = 'is not as it has to be' } = first ?? {}
  const { missingProperty, additionalProperty, unevaluatedProperty } = (params ?? {}) as Record<
    string,
    string
  >
  const unknown = additionalProperty ?? unevaluatedProperty
  const path = instancePath.slice(1).replaceAll('/', '.')
  if (path === '' && keyword === 'type') return new ApiError('invalid_json', 'The body is not a JSON object.')
  const param = [path, missingProperty].filter((part) => part !== undefined && part !== '').join('.')
  if (missingProperty !== undefined) return new ApiError('missing_field', `${param} is required.`, { param })
  // A name that somebody made up is not repeated.
  if (unknown !== undefined)
    return new ApiError('unsupported_parameter', `${path || 'The body'} has a field that is not known here.`)
  const code = keyword === 'type' ? 'missing_field' : 'unsupported_parameter'
  return new ApiError(code, `${param} ${message}.`, { param })
}

/** No text in the database can hold a NUL. */
function hasNul(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasNul)
  return typeof value === 'string' && value.includes('\u0000')
}
