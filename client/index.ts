export type { ErrorCode } from '#contract/errors'
export type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ChatMessage,
  Completion,
  CompletionChunk,
  CompletionRequest,
  EmbeddingList,
  EmbeddingRequest,
  EvidenceBundle,
  Generation,
  Invitation,
  Model,
  Usage,
} from '#contract/models'
export type { CallOptions, RouterAccess } from './access.ts'
export { chat, complete, embed, getGeneration, getInvitation, getModel, listModels } from './calls.ts'
export { type ClientCode, RouterError, type RouterErrorCode } from './error.ts'
export { type FetchedEvidence, getEvidence } from './evidence.ts'
export { streamChat, streamCompletion } from './stream.ts'
