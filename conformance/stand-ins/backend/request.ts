import { isObject } from '#base/object.ts'
import { type Json, listAt, numberAt, objectAt, textAt } from './members.ts'
import type { Operation } from './script.ts'

/** What the backend reads of a request; the rest is only kept for `GET /requests`. */
export interface ModelRequest {
  readonly operation: Operation
  readonly model: string
  readonly stream: boolean
  /** The messages' texts, the prompts or the inputs, one entry each. */
  readonly texts: readonly string[]
  readonly lastRole: string
  readonly maxTokens: number
  readonly includeUsage: boolean
  readonly continuousUsage: boolean
  readonly tools: readonly Tool[]
  /** `none`, `auto`, `required`, or the name of the tool that must be called. */
  readonly toolChoice: string
  readonly encodingFormat: string
  readonly dimensions: number
}

/** A tool that the client offers. */
export interface Tool {
  readonly name: string
  readonly parameters: unknown
}

/** A request that no backend could answer; the message says why. */
export class RequestError extends Error {}

const DEFAULT_DIMENSIONS = 8
const MAX_DIMENSIONS = 4_096

/** Reads the body of an inference request. */
export function parseRequest(operation: Operation, body: string): ModelRequest {
  const json = parseObject(body)
  const options = objectAt(json, 'stream_options')
  const messages = listAt(json, 'messages').filter(isObject)
  if (operation === 'chat' && messages.length === 0)
    throw new RequestError('messages must be a list of messages')
  return {
    operation,
    model: textAt(json, 'model', ''),
    stream: json.stream === true,
    texts: textsOf(operation, json, messages),
    lastRole: textAt(messages.at(-1) ?? {}, 'role', 'user'),
    maxTokens: numberAt(
      json,
      'max_completion_tokens',
      numberAt(json, 'max_tokens', Number.POSITIVE_INFINITY),
    ),
    includeUsage: options.include_usage === true,
    continuousUsage: options.continuous_usage_stats === true,
    tools: listAt(json, 'tools').filter(isObject).map(parseTool),
    toolChoice: parseToolChoice(json.tool_choice),
    encodingFormat: textAt(json, 'encoding_format', 'float'),
    dimensions: Math.min(numberAt(json, 'dimensions', DEFAULT_DIMENSIONS), MAX_DIMENSIONS),
  }
}

function parseObject(body: string): Json {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch (cause) {
    throw new RequestError('the body is not JSON', { cause })
  }
  if (!isObject(json)) throw new RequestError('the body must be a JSON object')
  return json
}

function textsOf(operation: Operation, json: Json, messages: readonly Json[]): readonly string[] {
  if (operation === 'chat') return messages.map(({ content }) => textOf(content))
  const input = json[operation === 'completions' ? 'prompt' : 'input']
  if (typeof input === 'string') return [input]
  if (!Array.isArray(input)) return ['']
  return typeof input[0] === 'number' ? [input.join(' ')] : input.map(wordsOf)
}

/** Tokens are words here. */
function wordsOf(input: unknown): string {
  return Array.isArray(input) ? input.join(' ') : String(input)
}

// Content is a string or a list of parts, of which only the text parts are read.
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isObject(part) ? textAt(part, 'text', '') : '')).join(' ')
}

function parseTool(tool: Json): Tool {
  const called = objectAt(tool, 'function')
  return { name: textAt(called, 'name', ''), parameters: called.parameters }
}

function parseToolChoice(choice: unknown): string {
  if (isObject(choice)) return textAt(objectAt(choice, 'function'), 'name', 'auto')
  return typeof choice === 'string' ? choice : 'auto'
}
