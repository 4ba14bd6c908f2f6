import type { Catalogue } from '../catalogue.ts'
import type { ServedModel } from '../config/router.ts'
import { ApiError } from '../errors.ts'
import type { ObjectCheck } from '../json/check.ts'
import { findMember, type ScannedObject } from '../json/members.ts'
import { outlineOf } from '../json/outline.ts'
import { type Operation, type OperationTraits, operations } from '../operation.ts'
import {
  type FoldedSpan,
  membersAt,
  outlineAt,
  parseBodyFields,
  type RequestBody,
  refuseAmbiguity,
} from './body-fields.ts'
import { highestOtherCap } from './other-caps.ts'
import { promptShapes } from './prompt-shapes.ts'
import type { PromptSize } from './prompt-size.ts'
import { isLong } from './whole-number.ts'
import { describeMistake } from './wording.ts'

/** A request whose honoured fields have been read; its prompt is known by size alone. */
export interface InferenceRequest {
  readonly body: RequestBody
  readonly streamed: boolean
  /** Whether the client wants the final usage-only chunk (REQ-05). */
  readonly includeUsage: boolean
  /** The client's cap on the completion tokens of each prompt, if it sent one; 0 where nothing is generated. */
  readonly outputCap: number | undefined
  /** A cap by a name that only some backends know: what is generated there may be that much, see `highestOtherCap`. */
  readonly otherCap: number
  readonly prompt: PromptSize
}

/** What of a model decides about a request. */
export type JudgedModel = Pick<
  ServedModel,
  | 'id'
  | 'capabilities'
  | 'contextLength'
  | 'templateTokens'
  | 'maxOutputTokens'
  | 'imageTokens'
  | 'audioTokens'
  | 'fallbacks'
>

/** The model that a body names, before anything else of it is judged. */
export interface NamedModel<Model extends JudgedModel = ServedModel> {
  readonly body: RequestBody
  readonly model: Model
}

/** Reads a body as far as its model. Throws as `parseName`, and 404 `model_not_found`. */
export function parseModel(
  operation: Operation,
  bytes: Buffer,
  catalogue: Catalogue,
  check?: ObjectCheck,
): NamedModel {
  const { body, name } = parseName(operation, bytes, check)
  return { body, model: catalogue.require(name, 'model') }
}

/** Reads a body as far as the name of its model. Throws 400 `invalid_json` or `missing_field`. */
export function parseName(
  operation: Operation,
  bytes: Buffer,
  check?: ObjectCheck,
): { readonly body: RequestBody; readonly name: string } {
  const { route, prompt, shape } = operations[operation]
  const { wanted, isPresent } = promptShapes[shape]
  const body = parseBodyFields(bytes, check)
  // What decides who pays for what must be told before it is used; all else waits for its turn.
  refuseAmbiguity(body.span, route.fields, { only: ['model', prompt] })
  const model = outlineAt(body, 'model')
  if (typeof model !== 'string' || model === '') throw missing('model', 'a model id')
  const asked = findMember(body.span, prompt)
  if (!(asked && isPresent(bytes, asked.valueStart))) throw missing(prompt, wanted)
  return { body, name: model }
}

/**
 * Reads the rest of a request. Throws 400 `unsupported_parameter`, naming the field, and `context_length_exceeded`
 * for tokens that are certainly too many.
 */
export function parseRequest(
  operation: Operation,
  { body, model }: NamedModel<JudgedModel>,
): InferenceRequest {
  const traits = operations[operation]
  const { route, prompt: field } = traits
  if (!model.capabilities.includes(operation)) {
    const message = `The model ${model.id} does not serve this route. GET /v1/models tells what each can do.`
    throw unsupported('model', message)
  }
  refuseAmbiguity(body.span, route.fields)
  const streamOptions = readStreamOptions(body, route.fields)
  const prompt = promptShapes[traits.shape].size(body, model, traits)
  const fields = fieldsOf(body, traits, streamOptions, prompt !== undefined)
  refuseLongSeed(body, fields)
  if (!traits.validate(fields)) throw refusalOf(traits)
  if (prompt === undefined) throw unsupported(field, traits.explained[field]!)
  if (prompt.mostTokens > model.contextLength) throw tooLong(field, prompt.mostTokens, model.contextLength)
  return {
    body,
    streamed: fields.stream === true,
    includeUsage: streamOptions?.include_usage === true,
    outputCap: traits.generates ? outputCapOf(fields) : 0,
    otherCap: traits.generates ? highestOtherCap(body) : 0,
    prompt,
  }
}

type Fields = Readonly<Record<string, unknown>>

/** The fields that are judged, each as far as its schema goes; a prompt that was sized is judged already. */
function fieldsOf(
  body: ScannedObject,
  { route, prompt, shape }: OperationTraits,
  streamOptions: Fields | undefined,
  isSized: boolean,
): Fields {
  const fields: Record<string, unknown> = {}
  const honoured: readonly string[] = route.fields
  // A body names few of the fields that there are. None that counts stands twice.
  for (const { name, valueStart, end } of body.span.members) {
    if (!honoured.includes(name)) continue
    // What is judged from outside alone, or was sized already, is not walked once more.
    const isDone = name === prompt && isSized
    fields[name] = isDone ? promptShapes[shape].sized : outlineOf(body.bytes, valueStart, end)
  }
  if (streamOptions) fields.stream_options = streamOptions
  return fields
}

/** What the router reads and writes inside of `stream_options`; of all else there it only looks at the names. */
const STREAM_OPTIONS = ['include_usage', 'continuous_usage_stats']

function readStreamOptions(body: ScannedObject, honoured: readonly string[]): Fields | undefined {
  const name = 'stream_options'
  if (!honoured.includes(name)) return undefined
  let span: FoldedSpan | undefined
  try {
    span = membersAt(body, name)
  } catch (error) {
    if (error instanceof RangeError) throw unsupported(name, `${name} has more members than a body may have.`)
    throw error
  }
  if (span === undefined) return undefined
  refuseAmbiguity(span, STREAM_OPTIONS, { within: name })
  const usage = findMember(span, 'include_usage')
  return usage ? { include_usage: outlineOf(body.bytes, usage.valueStart, usage.end) } : {}
}

/** Numbers of JSON are no integers to a parser that reads them as floats: 2^63 and the largest seed are one to it. */
function refuseLongSeed({ bytes, span }: ScannedObject, { seed }: Fields): void {
  // Beyond what a float holds it is infinite, and no whole number any more.
  if (typeof seed !== 'number' || (Number.isFinite(seed) && !Number.isInteger(seed))) return
  const { valueStart, end } = findMember(span, 'seed')!
  if (isLong(bytes.toString('latin1', valueStart, end))) return
  throw unsupported('seed', 'seed must be a whole number from -9223372036854775808 to 9223372036854775807.')
}

/** The refusal of a prompt that does not fit (ERR-23). */
export function tooLong(param: string, tokens: number, contextLength: number): ApiError {
  const message = `${param} has ${tokens} tokens; the model's context window holds ${contextLength}. Send less.`
  return new ApiError('context_length_exceeded', message, { param })
}

function outputCapOf({ max_tokens: old, max_completion_tokens: current }: Fields): number | undefined {
  const caps = [current, old].filter((cap) => typeof cap === 'number')
  if (caps.length === 2 && caps[0] !== caps[1]) {
    throw unsupported('max_tokens', 'max_tokens and max_completion_tokens differ; send one of them.')
  }
  return caps[0]
}

function refusalOf({ validate: { errors }, explained }: OperationTraits): ApiError {
  const [first] = errors ?? []
  const path = (first?.instancePath ?? '').slice(1).split('/')
  const field = path[0] || String(first?.params?.missingProperty ?? 'body')
  const said = `${path.join('.') || field} ${first ? describeMistake(first) : 'is not valid'}.`
  return unsupported(field, explained[field] ?? said)
}

function missing(field: string, what: string): ApiError {
  return new ApiError('missing_field', `${field} is required and must be ${what}.`, { param: field })
}

function unsupported(field: string, message: string): ApiError {
  return new ApiError('unsupported_parameter', message, { param: field })
}
