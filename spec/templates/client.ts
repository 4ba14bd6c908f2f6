import createFetchClient, { type Client as FetchClient } from 'openapi-fetch'
import type { ChatCompletionChunk, ChatCompletionRequest, ErrorBody } from '../../generated/models.ts'
import type { paths } from '../../generated/types.ts'
import { readEvents } from './events.ts'

/** A typed client of every path of the contract. */
export type Client = FetchClient<paths>

/** Where a client goes, and with which key. */
export interface ClientOptions {
  /** The router's or the proxy's address, with `/v1`. */
  readonly baseUrl: string
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: (request: Request) => Promise<Response>
}

/** Makes a client. Its methods return `{ data, error, response }` and throw only when no response came. */
export function createClient({ baseUrl, apiKey, headers, fetch }: ClientOptions): Client {
  return createFetchClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { ...headers, ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }) },
    ...(fetch && { fetch }),
  })
}

/** A refusal of the router or the proxy, in a response or as the last event of a stream (§2.7, §4.3/6). */
export class RouterError extends Error {
  override readonly name = 'RouterError'
  /** Undefined when the error came in a stream that had begun with 200. */
  readonly status: number | undefined
  readonly code: string
  readonly type: string
  readonly param: string | undefined
  readonly stage: string | undefined
  readonly reason: string | undefined
  readonly requestId: string | undefined
  readonly generationId: string | undefined

  constructor({ error, stage, reason }: ErrorBody, { headers }: Response, status?: number) {
    super(error.message)
    this.status = status
    this.code = error.code
    this.type = error.type
    this.param = error.param
    this.stage = stage
    this.reason = reason
    this.requestId = headers.get('x-request-id') ?? undefined
    this.generationId = headers.get('x-router-generation-id') ?? undefined
  }
}

/** The answer is not whole: the stream broke off before `[DONE]`, or was none. */
export class IncompleteStreamError extends Error {
  override readonly name = 'IncompleteStreamError'
}

/**
 * Streams a chat completion, chunk by chunk. Returning means that the answer is whole; a refusal throws
 * `RouterError`, and anything short of `[DONE]` throws `IncompleteStreamError`.
 */
export async function* streamChat(
  to: Client | ClientOptions,
  request: ChatCompletionRequest,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<ChatCompletionChunk, void> {
  const client = 'POST' in to ? to : createClient(to)
  const { data, error, response } = await client.POST('/chat/completions', {
    body: { ...request, stream: true },
    parseAs: 'stream',
    headers: { Accept: 'text/event-stream' },
    ...(signal && { signal }),
  })
  if (error !== undefined) throw refusal(error, response, response.status)
  if (!data) throw new IncompleteStreamError('The answer has no body.')
  for await (const event of readEvents(data)) {
    if (event === '[DONE]') return
    const parsed = parseEvent(event)
    if (isErrorBody(parsed)) throw refusal(parsed, response)
    yield parsed as ChatCompletionChunk
  }
  throw new IncompleteStreamError('The stream ended before [DONE].')
}

function parseEvent(event: string): unknown {
  try {
    return JSON.parse(event)
  } catch (cause) {
    throw new IncompleteStreamError('An event of the stream is not JSON.', { cause })
  }
}

function isErrorBody(value: unknown): value is ErrorBody {
  return typeof value === 'object' && value !== null && 'error' in value && isObject(value.error)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Whatever stands in front of the router may answer in another shape; that is an error all the same. */
function refusal(body: unknown, response: Response, status?: number): RouterError {
  if (isErrorBody(body)) return new RouterError(body, response, status)
  const error = { message: `The answer was ${response.status}.`, type: 'unknown', code: 'unknown' }
  return new RouterError({ error }, response, status)
}
