import { isUtf8 } from 'node:buffer'
import { limits } from '#contract'
import { ApiError } from '../errors.ts'
import { membersOf, type ObjectSpan } from '../json/members.ts'
import { hasMoreValues } from '../json/values.ts'

/** A request body as an object, beside the bytes that it was read from. */
export interface BodyFields {
  readonly bytes: Buffer
  readonly fields: Readonly<Record<string, unknown>>
  /** Where each top-level member stands in `bytes`. */
  readonly span: ObjectSpan
}

/** Parses a body to an object. Throws 400 `invalid_json`, 413 `request_too_large` for more values than memory is for. */
export function parseBodyFields(bytes: Buffer): BodyFields {
  if (hasMoreValues(bytes, limits.maxBodyValues)) {
    const message = `The request body has more than ${limits.maxBodyValues} JSON values; send fewer at a time.`
    throw new ApiError('request_too_large', message)
  }
  const parsed = parseObject(bytes)
  const span = membersOf(bytes)
  return { bytes, fields: withNamesOf(span, bytes, parsed), span }
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'The request body is not valid UTF-8.')
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch {
    // The parser's own message quotes the body, which may be a prompt.
    throw new ApiError('invalid_json', 'The request body is not valid JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid_json', 'The request body must be a JSON object.')
  }
  return value as Record<string, unknown>
}

/**
 * Throws 400 `unsupported_parameter` for a top-level key that stands twice or that differs from one of `honoured` only
 * by case: another parser might read another value (decisions, 5). With `only`, looks at those names alone.
 */
export function refuseAmbiguity(
  { span: { members } }: BodyFields,
  honoured: readonly string[],
  only?: readonly string[],
): void {
  const seen = new Set<string>()
  for (const { name } of members) {
    if (only && !only.includes(name.toLowerCase())) continue
    if (seen.has(name))
      throw ambiguous(name, `${shown(name)} stands twice in the request body; send it once.`)
    seen.add(name)
    const lower = name.toLowerCase()
    if (lower !== name && honoured.includes(lower)) {
      throw ambiguous(name, `${shown(name)} differs from ${lower} only by case; send ${lower}.`)
    }
  }
}

/**
 * The parsed object under the names that its bytes spell. V8 can take an escaped name for another one that it has
 * seen before (`{"\\u00fc":1}` after `{"\\\\":1}`), and a backend would read what the bytes say.
 */
function withNamesOf(
  { members }: ObjectSpan,
  bytes: Buffer,
  parsed: BodyFields['fields'],
): BodyFields['fields'] {
  if (members.every(({ name }) => Object.hasOwn(parsed, name))) return parsed
  return Object.fromEntries(
    members.map(({ name, valueStart, end }) => [name, JSON.parse(bytes.toString('utf8', valueStart, end))]),
  )
}

function ambiguous(name: string, message: string): ApiError {
  return new ApiError('unsupported_parameter', message, { param: shown(name) })
}

const SHOWN_NAME_LENGTH = 64

function shown(name: string): string {
  return name.slice(0, SHOWN_NAME_LENGTH)
}
