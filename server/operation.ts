import { routes } from '#contract/routes'
import type { Validator } from '#contract/validator'
import { isChatCompletionRequest } from '#contract/validators/chat-completion-request'
import { isCompletionRequest } from '#contract/validators/completion-request'
import { isEmbeddingRequest } from '#contract/validators/embedding-request'

/** Which of the three inference routes a generation came through. */
export type Operation = 'chat' | 'completions' | 'embeddings'

/** All that is different about one of them. */
export interface OperationTraits {
  readonly route:
    | typeof routes.createChatCompletion
    | typeof routes.createCompletion
    | typeof routes.createEmbedding
  /** The field that holds the prompt; its absence is `missing_field`. */
  readonly prompt: 'messages' | 'prompt' | 'input'
  /** A conversation, or a text, its tokens, or a list of either. */
  readonly shape: 'conversation' | 'texts'
  /** Whether all that is sent may stand beside each prompt, a suffix for one, or each is alone: so far it is bounded (CRED-06). */
  readonly boundedBy: 'body' | 'text'
  readonly validate: Validator
  /** What is said of a field where the validator's own words would not help. */
  readonly explained: Readonly<Record<string, string>>
  /** Whether the answer is written by the model: then it has an output cap, and completion tokens. */
  readonly generates: boolean
  /** The member that makes a backend's object an answer. */
  readonly answerList: 'choices' | 'data'
  /** Whether an answer has an id even where the backend gave it none. */
  readonly hasId: boolean
  /** What an object of its streams is called. */
  readonly chunkObject: string
  /** Its name in the conventions of metrics. */
  readonly convention: string
}

const ONE_ANSWER = { n: 'Only n = 1 is supported.', best_of: 'Only best_of = 1 is supported.' }

const TEXTS = 'must be a string, an array of strings, an array of tokens, or an array of arrays of tokens.'

/** The three operations (REQ-13, CRED-06, CRED-07). */
export const operations: Readonly<Record<Operation, OperationTraits>> = {
  chat: {
    route: routes.createChatCompletion,
    prompt: 'messages',
    shape: 'conversation',
    boundedBy: 'body',
    validate: isChatCompletionRequest,
    explained: ONE_ANSWER,
    generates: true,
    answerList: 'choices',
    hasId: true,
    chunkObject: 'chat.completion.chunk',
    convention: 'chat',
  },
  completions: {
    route: routes.createCompletion,
    prompt: 'prompt',
    shape: 'texts',
    boundedBy: 'body',
    validate: isCompletionRequest,
    explained: {
      ...ONE_ANSWER,
      prompt: `prompt ${TEXTS}`,
    },
    generates: true,
    answerList: 'choices',
    hasId: true,
    chunkObject: 'text_completion',
    convention: 'text_completion',
  },
  embeddings: {
    route: routes.createEmbedding,
    prompt: 'input',
    shape: 'texts',
    boundedBy: 'text',
    validate: isEmbeddingRequest,
    explained: { input: `input ${TEXTS}`, stream: 'Embeddings are not streamed: leave stream out.' },
    generates: false,
    answerList: 'data',
    hasId: false,
    chunkObject: 'list',
    convention: 'embeddings',
  },
}
