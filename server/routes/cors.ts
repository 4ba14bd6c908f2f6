const EXPOSED = [
  'X-Request-Id',
  'X-Router-Generation-Id',
  'X-Proxy-Verdict',
  'Retry-After',
  'retry-after-ms',
  'x-should-retry',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Link',
].join(', ')

/** The request's side of a cross-origin exchange. */
export interface CrossOrigin {
  readonly origin: string | undefined
  readonly requestedHeaders: string | undefined
}

/** Headers that let a page of an allowed origin read the answer; none for any other page (HDR-13). */
export function corsHeaders(
  { origin, requestedHeaders }: CrossOrigin,
  allowed: readonly string[],
): Record<string, string> {
  if (origin === undefined) return {}
  if (!allowed.includes('*') && !allowed.includes(origin)) return { Vary: 'Origin' }
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED,
    Vary: 'Origin',
    // SDKs add x-stainless-* headers of their own: what a page asks for is what it may send.
    ...(requestedHeaders === undefined ? {} : { 'Access-Control-Allow-Headers': requestedHeaders }),
  }
}

/** What a preflight is told beside `corsHeaders`. */
export const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
  'Access-Control-Max-Age': '600',
} as const
