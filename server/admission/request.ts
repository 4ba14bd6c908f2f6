import { routes, type Validator, validators } from '#contract'
import type { Catalogue } from '../catalogue.ts'
import type { ModelConfig } from '../config/router.ts'
import { ApiError } from '../errors.ts'
import { findMember } from '../json/members.ts'
import type { Operation } from '../metering/generation.ts'
import { type BodyFields, parseBodyFields, refuseAmbiguity } from './body-fields.ts'
import { countPromptTokens, type MeasuredPrompt, sizeMessages } from './sizing.ts'

/** A request whose honoured fields have been read; its prompt is known by size alone. */
export interface InferenceRequest {
  readonly body: BodyFields
  readonly streamed: boolean
  /** Whether the client wants the final usage-only chunk (§4.1). */
  readonly includeUsage: boolean
  /** The client's cap on completion tokens, if it sent one. */
  readonly outputCap: number | undefined
  readonly prompt: MeasuredPrompt
  /** The router's own count of the prompt (decisions, 3). */
  readonly countedPromptTokens: number
}

/** How the requests of one operation are read. */
interface Reader {
  /** The field that holds the prompt; its absence is `missing_field`. */
  readonly prompt: 'messages'
  readonly honoured: readonly string[]
  readonly validate: Validator
  readonly size: (prompt: readonly unknown[]) => MeasuredPrompt
}

/** What each served operation honours (§4.1). */
const readers = {
  chat: {
    prompt: 'messages',
    honoured: routes.createChatCompletion.fields,
    validate: validators.chatCompletionRequest,
    size: sizeMessages,
  },
} as const satisfies Partial<Record<Operation, Reader>>

/** Operations whose requests can be read. */
export type ReadableOperation = keyof typeof readers

/** The model that a body names, before anything else of it is judged. */
export interface NamedModel {
  readonly body: BodyFields
  readonly model: ModelConfig
}

/** Reads a body as far as its model. Throws 400 `invalid_json` or `missing_field`, 404 `model_not_found`. */
export function parseModel(operation: ReadableOperation, bytes: Buffer, catalogue: Catalogue): NamedModel {
  const { honoured, prompt } = readers[operation]
  const body = parseBodyFields(bytes)
  // What decides who pays for what must be told before it is used; all else waits for its turn.
  refuseAmbiguity(body, honoured, ['model', prompt])
  const { model, [prompt]: messages } = body.fields
  if (typeof model !== 'string' || model === '') throw missing('model', 'a model id')
  if (!Array.isArray(messages) || messages.length === 0) throw missing(prompt, 'a non-empty array')
  return { body, model: catalogue.require(model, 'model') }
}

/** Reads the rest of a request. Throws 400 `unsupported_parameter`, naming the field. */
export function parseRequest(operation: ReadableOperation, { body, model }: NamedModel): InferenceRequest {
  const { honoured, prompt, validate, size } = readers[operation]
  if (!model.capabilities.includes(operation)) {
    throw unsupported('model', `The model ${model.id} does not serve this route.`)
  }
  refuseAmbiguity(body, honoured)
  const { fields } = body
  if (!validate(fields)) throw refusalOf(validate)
  if (typeof fields.n === 'number' && fields.n !== 1) throw unsupported('n', 'Only n = 1 is supported.')
  const streamOptions = fields.stream_options as { include_usage?: boolean } | null | undefined
  const measured = size(fields[prompt] as unknown[])
  return {
    body,
    streamed: fields.stream === true,
    includeUsage: streamOptions?.include_usage === true,
    outputCap: outputCapOf(fields),
    prompt: measured,
    countedPromptTokens: countPromptTokens(measured.textBytes + sizeTools(body)),
  }
}

function outputCapOf({
  max_tokens: old,
  max_completion_tokens: current,
}: BodyFields['fields']): number | undefined {
  const caps = [current, old].filter((cap) => typeof cap === 'number')
  if (caps.length === 2 && caps[0] !== caps[1]) {
    throw unsupported('max_tokens', 'max_tokens and max_completion_tokens differ; send one of them.')
  }
  return caps[0]
}

/** Tool schemas are part of the prompt; their bytes as sent are counted (decisions, 3). */
function sizeTools({ span }: BodyFields): number {
  const tools = findMember(span, 'tools')
  return tools === undefined ? 0 : tools.end - tools.valueStart
}

function refusalOf({ errors }: Validator): ApiError {
  const [first] = errors ?? []
  const path = (first?.instancePath ?? '').slice(1).split('/')
  const field = path[0] || String(first?.params?.missingProperty ?? 'body')
  return unsupported(field, `${path.join('.') || field} ${first?.message ?? 'is not valid'}.`)
}

function missing(field: string, what: string): ApiError {
  return new ApiError('missing_field', `${field} is required and must be ${what}.`, { param: field })
}

function unsupported(field: string, message: string): ApiError {
  return new ApiError('unsupported_parameter', message, { param: field })
}
