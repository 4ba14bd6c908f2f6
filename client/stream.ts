import { createParser } from 'eventsource-parser'
import type {
  ChatCompletionChunk,
  ChatCompletionRequest,
  CompletionChunk,
  CompletionRequest,
} from '#contract/models'
import { type CallOptions, type RouterAccess, send } from './access.ts'
import type { PathOf } from './calls.ts'
import { isErrorBody, RouterError, unanswered } from './error.ts'

/** The event behind the last chunk; a stream without it was cut off. */
const DONE = '[DONE]'

/**
 * Asks for the next message of a conversation, chunk by chunk as the model writes it. The last chunk has no choices and
 * the `usage` with `cost_micros`, unless `stream_options` says otherwise. Leaving the loop ends the generation. Throws a
 * `RouterError` for a refusal, an error within the stream and a stream that breaks off.
 */
export function streamChat(
  access: RouterAccess,
  request: ChatCompletionRequest,
  options: CallOptions = {},
): AsyncGenerator<ChatCompletionChunk, void, undefined> {
  const path: PathOf<'createChatCompletion'> = '/chat/completions'
  return chunksOf(access, path, streamed(request), options)
}

/** Continues a text in the same way. */
export function streamCompletion(
  access: RouterAccess,
  request: CompletionRequest,
  options: CallOptions = {},
): AsyncGenerator<CompletionChunk, void, undefined> {
  const path: PathOf<'createCompletion'> = '/completions'
  return chunksOf(access, path, streamed(request), options)
}

function streamed(request: ChatCompletionRequest | CompletionRequest): object {
  return { stream_options: { include_usage: true }, ...request, stream: true }
}

async function* chunksOf<Chunk>(
  access: RouterAccess,
  path: string,
  request: object,
  options: CallOptions,
): AsyncGenerator<Chunk, void, undefined> {
  const response = await send(access, path, options, request)
  for await (const data of eventsOf(response, options)) {
    if (data === DONE) return
    const event = parseEvent(data, response.headers)
    if (isErrorBody(event)) throw new RouterError(0, event, response.headers)
    yield event as Chunk
  }
  throw unanswered(undefined, response.headers)
}

/** What is no JSON comes from somebody between here and the router, and is never passed on as a chunk. */
function parseEvent(data: string, headers: Headers): unknown {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw unanswered(cause, headers)
  }
}

/** The data of each event, as it arrives; the connection ends with the loop. */
async function* eventsOf({ body, headers }: Response, { signal }: CallOptions): AsyncGenerator<string> {
  const arrived: string[] = []
  const parser = createParser({ onEvent: ({ data }) => arrived.push(data) })
  const decoder = new TextDecoder()
  const reader = body!.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      yield* arrived.splice(0)
    }
  } catch (cause) {
    throw signal?.aborted ? cause : unanswered(cause, headers)
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
