import type { Behaviour, ToolCall } from './behaviour.ts'
import type { ModelRequest } from './request.ts'
import { sampleArguments } from './sample.ts'
import { countWords, someWords, wordsFor } from './words.ts'

/** One delta of an answer. */
export type Piece =
  | { readonly reasoning: string }
  | { readonly text: string }
  | {
      readonly tool: {
        readonly index: number
        readonly id?: string
        readonly name?: string
        readonly arguments: string
      }
    }

/** What is said, before it is put into chunks or into one body. */
export interface Answer {
  readonly pieces: readonly Piece[]
  readonly finishReason: string
  readonly promptTokens: number
  readonly completionTokens: number
}

// Ours: what a chat template adds to each message. It makes the count differ from any guess by bytes.
const TOKENS_PER_MESSAGE = 3

/** Decides what is said: as the behaviour tells, else as a friendly small model would. */
export function composeAnswer(request: ModelRequest, behaviour: Behaviour): Answer {
  const calls = behaviour.toolCalls ?? callsFor(request, behaviour)
  const whole = [
    ...reasoningPieces(behaviour),
    ...textPieces(request, behaviour, calls),
    ...toolPieces(calls),
  ]
  const pieces = behaviour.ignoreMaxTokens ? whole : whole.slice(0, request.maxTokens)
  return {
    pieces,
    finishReason: behaviour.finishReason ?? reasonFor(pieces.length < whole.length, calls),
    promptTokens: behaviour.promptTokens ?? countPrompt(request),
    completionTokens: behaviour.completionTokens ?? pieces.length,
  }
}

/** Tokens of the prompt by the stand-in's own measure: words, and a few for each message. */
export function countPrompt({ operation, texts }: ModelRequest): number {
  const perText = operation === 'chat' ? TOKENS_PER_MESSAGE : 0
  return texts.reduce((sum, text) => sum + countWords(text) + perText, 0)
}

function reasonFor(cutShort: boolean, calls: readonly ToolCall[]): string {
  if (cutShort) return 'length'
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

function reasoningPieces({ reasoning = [] }: Behaviour): readonly Piece[] {
  const deltas = typeof reasoning === 'number' ? someWords(reasoning, 'thought') : reasoning
  return deltas.map((delta) => ({ reasoning: delta }))
}

function textPieces(
  request: ModelRequest,
  { chunks }: Behaviour,
  calls: readonly ToolCall[],
): readonly Piece[] {
  if (chunks === undefined && calls.length > 0) return []
  const deltas =
    typeof chunks === 'number' ? someWords(chunks, 'word') : (chunks ?? wordsFor(request.texts.join('\n')))
  return deltas.map((text) => ({ text }))
}

// The first delta of a call brings its id and name, the others go on with the arguments.
function toolPieces(calls: readonly ToolCall[]): readonly Piece[] {
  return calls.flatMap((call, index) => {
    const parts = typeof call.arguments === 'string' ? [call.arguments] : call.arguments
    const id = call.id ?? `call_${index + 1}`
    const head: Piece = { tool: { index, id, name: call.name, arguments: parts[0] ?? '' } }
    return [head, ...parts.slice(1).map((part): Piece => ({ tool: { index, arguments: part } }))]
  })
}

// A model calls a tool when it must, or when the last question speaks of one; it does not call it twice.
function callsFor(
  { tools, toolChoice, texts, lastRole }: ModelRequest,
  { chunks }: Behaviour,
): readonly ToolCall[] {
  if (chunks !== undefined || toolChoice === 'none' || lastRole === 'tool') return []
  const question = texts.at(-1) ?? ''
  const wanted =
    tools.find(({ name }) => name === toolChoice) ?? tools.find(({ name }) => speaksOf(question, name))
  const called = wanted ?? (toolChoice === 'required' ? tools[0] : undefined)
  return called ? [{ name: called.name, arguments: sampleArguments(called.parameters) }] : []
}

function speaksOf(question: string, name: string): boolean {
  if (question.includes(name)) return true
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 3)
  return words.some((word) => question.toLowerCase().includes(word))
}
