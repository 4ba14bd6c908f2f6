import { routes, type Validator, validators } from '#contract'
import type { Operation } from '../metering/generation.ts'
import type { BodyFields } from './body-fields.ts'
import { boundInputs, boundPrompt, type ModelLimits } from './hold.ts'
import { type MeasuredPrompt, sizeMessages, sizeTexts } from './sizing.ts'

/** How the requests of one operation are read. */
export interface Reader {
  /** The field that holds the prompt; its absence is `missing_field`. */
  readonly prompt: 'messages' | 'prompt' | 'input'
  /** What that field must be, for people. */
  readonly wanted: string
  readonly isPresent: (prompt: unknown) => boolean
  /** Fields whose value is judged; all others are passed on unread (§4.1). */
  readonly honoured: readonly string[]
  readonly validate: Validator
  /** What is said of a field where the validator's own words would not help. */
  readonly explained: Readonly<Record<string, string>>
  /** Sizes what the validator let pass, one entry for each prompt. */
  readonly size: (prompt: unknown) => Iterable<MeasuredPrompt>
  /** The most tokens that the request can send in. */
  readonly bound: (request: SizedRequest, limits: ModelLimits) => number
  /** Whether the answer is written by the model: then it has an output cap. */
  readonly generates: boolean
}

/** A request as far as its size goes. */
export interface SizedRequest {
  readonly body: BodyFields
  readonly sizes: () => Iterable<MeasuredPrompt>
}

const ONE_ANSWER = 'Only n = 1 is supported.'

/** What each operation honours, and how its prompt is sized (§4.1; decisions, 2 and 5). */
export const readers = {
  chat: {
    prompt: 'messages',
    wanted: 'a non-empty array',
    isPresent: isList,
    honoured: routes.createChatCompletion.fields,
    validate: validators.chatCompletionRequest,
    explained: { n: ONE_ANSWER },
    size: (messages) => [sizeMessages(messages as unknown[])],
    bound: boundBody,
    generates: true,
  },
  completions: {
    prompt: 'prompt',
    wanted: 'a text or the tokens of one',
    isPresent: isTextOrList,
    honoured: routes.createCompletion.fields,
    validate: validators.completionRequest,
    explained: {
      n: ONE_ANSWER,
      prompt: 'prompt must be one string or one array of tokens; send several prompts one by one.',
      best_of: 'Only best_of = 1 is supported.',
    },
    size: sizeTexts,
    bound: boundBody,
    generates: true,
  },
  embeddings: {
    prompt: 'input',
    wanted: 'a text, the tokens of one, or a list of either',
    isPresent: isTextOrList,
    honoured: routes.createEmbedding.fields,
    validate: validators.embeddingRequest,
    explained: {
      input:
        'input must be a string, an array of strings, an array of tokens, or an array of arrays of tokens.',
      stream: 'Embeddings are not streamed: leave stream out.',
    },
    size: sizeTexts,
    bound: ({ sizes }, limits) => boundInputs(promptSizes(sizes()), limits),
    generates: false,
  },
} as const satisfies Record<Operation, Reader>

/** No tokenizer makes more tokens than the body has bytes, and each token sent as such takes a byte at least. */
function boundBody({ body, sizes }: SizedRequest, limits: ModelLimits): number {
  const hasOtherParts = [...sizes()].some((size) => size.hasOtherParts)
  return boundPrompt({ bytes: body.bytes.length, hasOtherParts }, limits)
}

function* promptSizes(sizes: Iterable<MeasuredPrompt>) {
  for (const { textBytes, tokens, hasOtherParts } of sizes) yield { bytes: textBytes + tokens, hasOtherParts }
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

function isTextOrList(value: unknown): boolean {
  return isList(value) || (typeof value === 'string' && value !== '')
}
