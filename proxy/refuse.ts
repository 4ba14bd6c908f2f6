import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits } from '#contract/limits'
import { bodyOf, type Refusal, statusOf } from './refusal.ts'

/** Pages that may call through a listener. */
export type Origins = readonly string[]

const ECHOED = new RegExp(`^[\\x21-\\x7e]{1,${limits.maxRequestIdCharacters}}$`)

/** What a page may read of an answer (HDR-14). */
const EXPOSED = 'X-Request-Id, X-Proxy-Verdict, Retry-After, x-should-retry'

/** Answers in the router's place; without a verdict, as none was given. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  origins: Origins,
): void {
  const body = bodyOf(refusal)
  response.writeHead(statusOf(refusal), {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestIdFor(request),
    ...corsHeaders(request, origins),
    ...refusal.headers,
  })
  response.end(body)
}

function requestIdFor({ headers }: IncomingMessage): string {
  const offered = headers['x-request-id']
  return typeof offered === 'string' && ECHOED.test(offered) ? offered : `req-${randomUUID()}`
}

function corsHeaders({ headers: { origin } }: IncomingMessage, origins: Origins): Record<string, string> {
  if (origin === undefined || !origins.includes(origin)) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED,
    Vary: 'Origin',
  }
}
