import { createHash } from 'node:crypto'
import type { Answer, Piece } from './answer.ts'
import { countPrompt } from './answer.ts'
import type { Behaviour } from './behaviour.ts'
import type { Naming } from './chunks.ts'
import { textOf } from './deltas.ts'
import type { ModelRequest } from './request.ts'
import { wholeUsage } from './usage.ts'

/** The JSON body of an answer that is not streamed. */
export function composeBody(
  request: ModelRequest,
  answer: Answer,
  behaviour: Behaviour,
  { id, created }: Naming,
): object {
  const chat = request.operation === 'chat'
  const said = chat ? { message: messageOf(answer.pieces) } : { text: answer.pieces.map(textOf).join('') }
  const usage = wholeUsage(behaviour.usage, answer)
  return {
    id,
    object: chat ? 'chat.completion' : 'text_completion',
    created,
    model: request.model,
    // Of several prompts each has its answer; the messages of a chat are one prompt.
    choices: (chat ? [''] : request.texts).map((_, index) => {
      return { index, ...said, logprobs: null, finish_reason: answer.finishReason }
    }),
    ...(usage === undefined ? {} : { usage }),
    ...behaviour.fields,
  }
}

/** The body of an embeddings answer: vectors made from the inputs' hashes. */
export function composeEmbeddings(request: ModelRequest, behaviour: Behaviour): object {
  const promptTokens = behaviour.promptTokens ?? countPrompt(request)
  const usage = wholeUsage(behaviour.usage, {
    pieces: [],
    finishReason: 'stop',
    promptTokens,
    completionTokens: 0,
  })
  return {
    object: 'list',
    data: request.texts.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: vectorOf(text, request),
    })),
    model: request.model,
    ...(usage === undefined ? {} : { usage }),
    ...behaviour.fields,
  }
}

function messageOf(pieces: readonly Piece[]): object {
  const text = pieces.map((piece) => ('text' in piece ? piece.text : '')).join('')
  const reasoning = pieces.map((piece) => ('reasoning' in piece ? piece.reasoning : '')).join('')
  const calls = toolCallsOf(pieces)
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function toolCallsOf(pieces: readonly Piece[]): readonly object[] {
  const tools = pieces.flatMap((piece) => ('tool' in piece ? [piece.tool] : []))
  return tools
    .filter(({ name }) => name !== undefined)
    .map(({ index, id, name }) => {
      const text = tools.filter((tool) => tool.index === index).map((tool) => tool.arguments)
      return { id, type: 'function', function: { name, arguments: text.join('') } }
    })
}

function vectorOf(text: string, { dimensions, encodingFormat }: ModelRequest): readonly number[] | string {
  const bytes = createHash('shake256', { outputLength: dimensions * 2 })
    .update(text)
    .digest()
  const vector = Float32Array.from(
    { length: dimensions },
    (_, index) => bytes.readInt16LE(index * 2) / 32_768,
  )
  return encodingFormat === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
}
