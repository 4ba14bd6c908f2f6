import type {
  ChatCompletion,
  ChatCompletionRequest,
  Completion,
  CompletionRequest,
  EmbeddingList,
  EmbeddingRequest,
  Generation,
  GenerationResult,
  Invitation,
  Model,
  ModelList,
} from '#contract/models'
import type { OperationId, routes } from '#contract/routes'
import { type CallOptions, type RouterAccess, readJson, send } from './access.ts'

/** Where an operation is; a path that the contract does not have is none. */
export type PathOf<Id extends OperationId> = (typeof routes)[Id]['path']

/** Asks for the next message of a conversation, whole. */
export async function chat(
  access: RouterAccess,
  request: ChatCompletionRequest,
  options: CallOptions = {},
): Promise<ChatCompletion> {
  const path: PathOf<'createChatCompletion'> = '/chat/completions'
  return readJson(await send(access, path, options, { ...request, stream: false }), options)
}

/** Continues a text, whole. */
export async function complete(
  access: RouterAccess,
  request: CompletionRequest,
  options: CallOptions = {},
): Promise<Completion> {
  const path: PathOf<'createCompletion'> = '/completions'
  return readJson(await send(access, path, options, { ...request, stream: false }), options)
}

/** Turns texts into vectors. */
export async function embed(
  access: RouterAccess,
  request: EmbeddingRequest,
  options: CallOptions = {},
): Promise<EmbeddingList> {
  const path: PathOf<'createEmbedding'> = '/embeddings'
  return readJson(await send(access, path, options, request), options)
}

/** The models that the key may use now. */
export async function listModels(access: RouterAccess, options: CallOptions = {}): Promise<readonly Model[]> {
  const path: PathOf<'listModels'> = '/models'
  return (await readJson<ModelList>(await send(access, path, options), options)).data
}

/** One of them; any other is `model_not_found`. */
export async function getModel(access: RouterAccess, id: string, options: CallOptions = {}): Promise<Model> {
  const path: PathOf<'getModel'> = '/models/{id}'
  return readJson(await send(access, path.replace('{id}', encodeURIComponent(id)), options), options)
}

/** What a generation used and cost, from the moment that the end of its answer has been read. */
export async function getGeneration(
  access: RouterAccess,
  id: string,
  options: CallOptions = {},
): Promise<Generation> {
  const path: PathOf<'getGeneration'> = '/generation'
  const response = await send(access, `${path}?id=${encodeURIComponent(id)}`, options)
  return (await readJson<GenerationResult>(response, options)).data
}

/** What an invitation grants. */
export async function getInvitation(
  access: RouterAccess,
  code: string,
  options: CallOptions = {},
): Promise<Invitation> {
  const path: PathOf<'getInvitation'> = '/invites/{code}'
  return readJson(await send(access, path.replace('{code}', encodeURIComponent(code)), options), options)
}
