import { readRefusal, unanswered } from './error.ts'

/** Where a router is, and as whom it is asked. */
export interface RouterAccess {
  /** With `/v1`: the router's own, or that of the verifying proxy on this machine. */
  readonly baseUrl: string
  /** `sk-tee-v1-…`; evidence and invitations need none. */
  readonly apiKey?: string
  /** In place of the platform's own `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Sent with each request, such as the proxy's `X-Proxy-Token`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What a single call may be given. */
export interface CallOptions {
  /** Ends the call; a generation that runs is aborted, and what was delivered is billed. */
  readonly signal?: AbortSignal
  /** A name for the request, given back in the answer and in errors. */
  readonly requestId?: string
}

/**
 * Sends one request and gives the answer as it begins. Throws a `RouterError` for whatever is no success; what ends by
 * the caller's own signal throws what `fetch` throws. Nothing is sent twice.
 */
export async function send(
  { baseUrl, apiKey, fetch = globalThis.fetch, headers = {} }: RouterAccess,
  path: string,
  { signal, requestId }: CallOptions,
  body?: object,
): Promise<Response> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...headers,
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...(requestId !== undefined && { 'x-request-id': requestId }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    // No router sends anybody elsewhere: what is followed sends prompt and headers to a second place.
    redirect: 'manual',
  }).catch((cause: unknown) => Promise.reject(signal?.aborted ? cause : unanswered(cause)))
  if (!response.ok) throw await readRefusal(response)
  return response
}

/** Reads the JSON of a success. Throws as `send` does when the connection is lost before its end. */
export async function readJson<T>(response: Response, { signal }: CallOptions): Promise<T> {
  try {
    return (await response.json()) as T
  } catch (cause) {
    throw signal?.aborted ? cause : unanswered(cause)
  }
}
