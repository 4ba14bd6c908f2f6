import type { Catalogue } from '../catalogue.ts'
import type { ServedModel } from '../config/router.ts'
import { ApiError } from '../errors.ts'
import { findMember } from '../json/members.ts'
import type { Operation } from '../metering/generation.ts'
import { type BodyFields, parseBodyFields, refuseAmbiguity } from './body-fields.ts'
import { type Reader, readers } from './readers.ts'
import { countPromptTokens, type MeasuredPrompt } from './sizing.ts'
import { describeMistake } from './wording.ts'

/** A request whose honoured fields have been read; its prompt is known by size alone. */
export interface InferenceRequest {
  readonly body: BodyFields
  readonly streamed: boolean
  /** Whether the client wants the final usage-only chunk (§4.1). */
  readonly includeUsage: boolean
  /** The client's cap on completion tokens, if it sent one; 0 where nothing is generated. */
  readonly outputCap: number | undefined
  /** The most tokens that the prompt can have; see `boundPrompt`. */
  readonly promptBound: number
  /** The router's own count of the prompt (decisions, 3). */
  readonly countedPromptTokens: number
}

/** The model that a body names, before anything else of it is judged. */
export interface NamedModel {
  readonly body: BodyFields
  readonly model: ServedModel
}

/** Reads a body as far as its model. Throws 400 `invalid_json` or `missing_field`, 404 `model_not_found`. */
export function parseModel(operation: Operation, bytes: Buffer, catalogue: Catalogue): NamedModel {
  const { honoured, prompt, wanted, isPresent }: Reader = readers[operation]
  const body = parseBodyFields(bytes)
  // What decides who pays for what must be told before it is used; all else waits for its turn.
  refuseAmbiguity(body, honoured, ['model', prompt])
  const { model } = body.fields
  if (typeof model !== 'string' || model === '') throw missing('model', 'a model id')
  if (!isPresent(body.fields[prompt])) throw missing(prompt, wanted)
  return { body, model: catalogue.require(model, 'model') }
}

/**
 * Reads the rest of a request. Throws 400 `unsupported_parameter`, naming the field, and `context_length_exceeded`
 * for tokens that are certainly too many.
 */
export function parseRequest(operation: Operation, { body, model }: NamedModel): InferenceRequest {
  const reader: Reader = readers[operation]
  if (!model.capabilities.includes(operation)) {
    const message = `The model ${model.id} does not serve this route. GET /v1/models tells what each can do.`
    throw unsupported('model', message)
  }
  refuseAmbiguity(body, reader.honoured)
  const { fields } = body
  if (!reader.validate(fields)) throw refusalOf(reader)
  const streamOptions = fields.stream_options as { include_usage?: boolean } | null | undefined
  const prompt = fields[reader.prompt]
  const sized = reader.size(prompt)
  // Messages are walked once; a list of texts, which may hold millions, is walked again rather than kept.
  const sizes = () => (Array.isArray(sized) ? sized : reader.size(prompt))
  return {
    body,
    streamed: fields.stream === true,
    includeUsage: streamOptions?.include_usage === true,
    outputCap: reader.generates ? outputCapOf(fields) : 0,
    promptBound: reader.bound({ body, sizes }, model),
    countedPromptTokens: count(sizes(), sizeTools(body, reader), reader, model),
  }
}

/** Tokens that are sent as such need no tokenizer to be found too many (§7.1). */
function count(
  sizes: Iterable<MeasuredPrompt>,
  toolBytes: number,
  { prompt }: Reader,
  { contextLength, imageTokens = 0, audioTokens = 0 }: ServedModel,
): number {
  let bytes = toolBytes
  let sent = 0
  for (const { textBytes, tokens, images = 0, audios = 0 } of sizes) {
    if (tokens > contextLength) throw tooLong(prompt, tokens, contextLength)
    bytes += textBytes
    sent += tokens + images * imageTokens + audios * audioTokens
  }
  return sent + countPromptTokens(bytes)
}

/** The refusal of a prompt that does not fit (§7.1). */
export function tooLong(param: string, tokens: number, contextLength: number): ApiError {
  const message = `${param} has ${tokens} tokens; the model's context window holds ${contextLength}. Send less.`
  return new ApiError('context_length_exceeded', message, { param })
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
function sizeTools({ span }: BodyFields, { honoured }: Reader): number {
  const tools = honoured.includes('tools') ? findMember(span, 'tools') : undefined
  return tools === undefined ? 0 : tools.end - tools.valueStart
}

function refusalOf({ validate: { errors }, explained }: Reader): ApiError {
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
