import type { IncomingMessage } from 'node:http'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { isObject } from '#base/object.ts'
import { backendFailed, Refusal } from './refusal.ts'

/** What a backend is asked, under its path. */
export interface Question {
  readonly url: string
  readonly body: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

/** Asks a backend; throws the refusal that a client is told where it does not serve. */
export async function ask({ url, body, signal }: Question): Promise<IncomingMessage> {
  const answer = await send(url, JSON.stringify(body), signal).catch(() => {
    throw backendFailed(false)
  })
  if (answer.statusCode === 200) return answer
  const told = await text(answer).catch(() => '')
  if (codeIn(told) === 'context_length_exceeded')
    throw new Refusal(400, 'context_length_exceeded', 'invalid_request_error', 'This is more than fits.')
  throw backendFailed(true)
}

/** What a backend is sent for a request: a cap by its one name, stop words as a list, and usage asked for. */
export function toBackend(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { max_completion_tokens: newer, max_tokens: older, stop, stream, stream_options, ...rest } = body
  const cap = newer ?? older
  return {
    ...rest,
    ...(cap !== undefined && { max_tokens: cap }),
    ...(stop !== undefined && { stop: typeof stop === 'string' ? [stop] : stop }),
    ...(stream !== undefined && { stream }),
    ...(stream === true && {
      stream_options: { ...(isObject(stream_options) && stream_options), include_usage: true },
    }),
  }
}

function send(url: string, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  // A connection of its own: none that the backend may have closed meanwhile.
  request(url, { method: 'POST', headers, signal, agent: false }, resolve).on('error', reject).end(body)
  return promise
}

function codeIn(told: string): unknown {
  try {
    const { error } = JSON.parse(told)
    return error?.code
  } catch {
    return undefined
  }
}
