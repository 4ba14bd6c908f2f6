import { routes } from '#contract/routes'
import type { Validator } from '#contract/validator'
import { isChatCompletionRequest } from '#contract/validators/chat-completion-request'
import { isCompletionRequest } from '#contract/validators/completion-request'
import { isEmbeddingRequest } from '#contract/validators/embedding-request'
import { byte, skipSpace } from '../json/scan.ts'
import type { Operation } from '../metering/generation.ts'
import type { BodyFields } from './body-fields.ts'
import { type ModelFigures, type PromptSize, sizeConversation, sizeTexts } from './prompt-size.ts'

/** How the requests of one operation are read. */
export interface Reader {
  /** The field that holds the prompt; its absence is `missing_field`. */
  readonly prompt: 'messages' | 'prompt' | 'input'
  /** What that field must be, for people. */
  readonly wanted: string
  /** Whether the value that begins there can be a prompt at all. */
  readonly isPresent: (bytes: Buffer, at: number) => boolean
  /** Fields whose value is judged; all others are passed on unread (REQ-11). */
  readonly honoured: readonly string[]
  readonly validate: Validator
  /** What is said of a field where the validator's own words would not help. */
  readonly explained: Readonly<Record<string, string>>
  /** Sizes the prompt; undefined when it is not what the field must be. */
  readonly size: (body: BodyFields, model: ModelFigures) => PromptSize | undefined
  /** What the validator is shown in place of a prompt that has been sized. */
  readonly sized: unknown
  /** Whether the answer is written by the model: then it has an output cap. */
  readonly generates: boolean
}

const ONE_ANSWER = 'Only n = 1 is supported.'

const TEXTS = 'must be a string, an array of strings, an array of tokens, or an array of arrays of tokens.'

/** What each operation honours, and how its prompt is sized (REQ-13, CRED-06, CRED-07). */
export const readers = {
  chat: {
    prompt: 'messages',
    wanted: 'a non-empty array',
    isPresent: isList,
    honoured: routes.createChatCompletion.fields,
    validate: isChatCompletionRequest,
    explained: { n: ONE_ANSWER },
    size: sizeConversation,
    sized: [{}],
    generates: true,
  },
  completions: {
    prompt: 'prompt',
    wanted: 'a text, the tokens of one, or a list of either',
    isPresent: isTextOrList,
    honoured: routes.createCompletion.fields,
    validate: isCompletionRequest,
    explained: {
      n: ONE_ANSWER,
      prompt: `prompt ${TEXTS}`,
      best_of: 'Only best_of = 1 is supported.',
    },
    // Whatever else is in the body, a suffix for one, may stand beside each of the prompts.
    size: (body, model) => sizeTexts(body, 'prompt', model, (sent, _size, around) => sent + around),
    sized: '.',
    generates: true,
  },
  embeddings: {
    prompt: 'input',
    wanted: 'a text, the tokens of one, or a list of either',
    isPresent: isTextOrList,
    honoured: routes.createEmbedding.fields,
    validate: isEmbeddingRequest,
    explained: { input: `input ${TEXTS}`, stream: 'Embeddings are not streamed: leave stream out.' },
    size: (body, model) => sizeTexts(body, 'input', model, (_sent, size) => size),
    sized: '.',
    generates: false,
  },
} as const satisfies Record<Operation, Reader>

function isList(bytes: Buffer, at: number): boolean {
  return bytes[at] === byte.openBracket && bytes[skipSpace(bytes, at + 1)] !== byte.closeBracket
}

function isTextOrList(bytes: Buffer, at: number): boolean {
  return isList(bytes, at) || (bytes[at] === byte.quote && bytes[at + 1] !== byte.quote)
}
