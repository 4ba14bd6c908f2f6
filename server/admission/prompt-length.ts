import type { ServedModel } from '../config/router.ts'
import { findMember, type ScannedObject } from '../json/members.ts'
import { byte } from '../json/scan.ts'
import { type Operation, operations } from '../operation.ts'
import { followCount, type PromptCount } from '../relay/count-usage.ts'
import type { Question, Tokenizers } from '../relay/tokenizer.ts'
import { boundPrompt } from './hold.ts'
import { longestText } from './prompt-size.ts'
import { type InferenceRequest, tooLong } from './request.ts'

/** A request that has been read, and the model it is for. */
export interface ReadRequest {
  readonly operation: Operation
  readonly model: ServedModel
  readonly request: InferenceRequest
  /** For the log. */
  readonly requestId: string
}

/** What asks; who opened it closes it. */
type Asking = Pick<Tokenizers, 'has' | 'hasRoom' | 'count'>

/**
 * Refuses a prompt that is longer than the model's context window before anything is sent to the model, where a
 * backend's tokenizer is configured (ERR-23, REQ-38). It is asked only about prompts whose bytes leave it open,
 * and only for callers whom `authorize` lets pass.
 */
export function refuseLongPrompt(
  read: ReadRequest,
  tokenizers: Asking,
  authorize: () => Promise<unknown>,
): Promise<Asked> | undefined {
  const { operation, model, request } = read
  if (!tokenizers.has(model.id)) return undefined
  const question = questions[operation](request, model)
  return question && refuseCounted(read, question, tokenizers, authorize)
}

async function refuseCounted(
  { operation, model, requestId }: ReadRequest,
  question: Question,
  tokenizers: Asking,
  authorize: () => Promise<unknown>,
): Promise<Asked> {
  await authorize()
  const tokens = await tokenizers.count(model.id, question, requestId)
  if (tokens !== undefined && tokens > model.contextLength) {
    throw tooLong(operations[operation].prompt, tokens, model.contextLength)
  }
  return { tokens }
}

/** What a tokenizer that was asked has said; undefined tokens: nothing. */
export interface Asked {
  readonly tokens: number | undefined
}

/**
 * Has a backend's tokenizer count a prompt for the meter, while the request is on its way (MET-10); undefined
 * where none can: without one, with parts that are no text, and for lists of prompts. One that was asked before, because
 * the prompt might have been too long, is not asked again.
 */
export function countPrompt(
  { operation, model, request, requestId }: ReadRequest,
  tokenizers: Asking,
  asked: Asked | undefined,
): PromptCount | undefined {
  const isKnown = asked !== undefined
  if (!isKnown && !tokenizers.hasRoom(model.id)) return undefined
  const question = wholeQuestions[operation](request)
  if (question === undefined) return undefined
  const count = async () => {
    const tokens = isKnown ? asked.tokens : await tokenizers.count(model.id, question, requestId)
    return tokens === undefined ? undefined : Math.min(tokens, request.prompt.bound)
  }
  return followCount(count())
}

/** What a tokenizer is asked about the whole prompt of a request. */
const wholeQuestions: Readonly<Record<Operation, (request: InferenceRequest) => Question | undefined>> = {
  chat: ({ body, prompt }) => (prompt.hasOtherParts ? undefined : membersNamed(['messages', 'tools'], body)),
  completions: ({ body }) => aboutOneText(body, 'prompt'),
  embeddings: ({ body }) => aboutOneText(body, 'input'),
}

function aboutOneText({ bytes, span }: ScannedObject, field: string): Question | undefined {
  const { valueStart, end } = findMember(span, field)!
  return bytes[valueStart] === byte.quote ? { prompt: bytes.subarray(valueStart, end) } : undefined
}

/** What a tokenizer is asked about each kind of request; undefined: it need not, or could not, count that. */
const questions: Readonly<
  Record<Operation, (request: InferenceRequest, model: ServedModel) => Question | undefined>
> = {
  chat({ body, prompt }, { contextLength }) {
    if (prompt.bound < contextLength || prompt.hasOtherParts) return undefined
    return membersNamed(['messages', 'tools'], body)
  },
  // Each text has the window to itself; the longest one stands for all.
  completions({ body, prompt }, { contextLength }) {
    return prompt.largestBound < contextLength ? undefined : aboutLongest(body, 'prompt')
  },
  embeddings({ body }, model) {
    const textBytes = longestText(body, 'input')?.textBytes ?? 0
    const bound = boundPrompt({ bytes: textBytes, hasOtherParts: false }, model)
    return bound < model.contextLength ? undefined : aboutLongest(body, 'input')
  },
}

function membersNamed(names: readonly string[], { bytes, span }: ScannedObject): Question {
  const members = names.flatMap((name) => findMember(span, name) ?? [])
  return Object.fromEntries(
    members.map(({ name, valueStart, end }) => [name, bytes.subarray(valueStart, end)]),
  )
}

/** Tokens that were sent as such have been counted already. */
function aboutLongest(body: ScannedObject, field: string): Question | undefined {
  const text = longestText(body, field)
  return text && { prompt: body.bytes.subarray(text.start, text.end) }
}
