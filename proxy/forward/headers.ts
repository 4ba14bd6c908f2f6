import type { RawHeaders } from '../raw-headers.ts'

/** Headers that belong to one connection and not to the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Says that the checks passed on the connection (HDR-04). */
const VERDICT_HEADER = 'X-Proxy-Verdict'

const VERDICT_NAME = VERDICT_HEADER.toLowerCase()

/** The proxy's own names: nothing in them goes upstream (PRXY-14). */
const OWN_PREFIX = 'x-proxy-'

/** What the endpoint is sent: the client's headers as they are, for the endpoint's own host. */
export function requestHeaders(headers: RawHeaders, authority: string): string[] {
  const kept = keep(
    headers,
    (name) => !HOP_BY_HOP.has(name) && name !== 'host' && name !== 'expect' && !name.startsWith(OWN_PREFIX),
  )
  kept.push('Host', authority)
  return kept
}

/** What the client is sent: the endpoint's headers as they are, and the verdict. */
export function responseHeaders(headers: RawHeaders): string[] {
  const kept = keep(headers, (name) => !HOP_BY_HOP.has(name) && name !== VERDICT_NAME)
  kept.push(VERDICT_HEADER, 'allow')
  return kept
}

/** The same without its length, which an event stream of another ending would break: what follows is told in chunks. */
export function withoutLength(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < headers.length; at += 2)
    if (headers[at]!.toLowerCase() !== 'content-length') kept.push(headers[at]!, headers[at + 1]!)
  return kept
}

function keep(headers: RawHeaders, isKept: (name: string) => boolean): string[] {
  const named = namedByConnection(headers)
  const { pairs, names } = headers
  const kept: string[] = []
  for (let place = 0; place < names.length; place++) {
    const name = names[place]!
    if (isKept(name) && !named?.has(name)) kept.push(pairs[2 * place]!, pairs[2 * place + 1]!)
  }
  return kept
}

/** `Connection` may name further headers that end with the connection. */
function namedByConnection(headers: RawHeaders): ReadonlySet<string> | undefined {
  const first = headers.first('connection')
  if (first === undefined) return undefined
  const all = headers.all('connection')
  if (all.length === 1 && /^(keep-alive|close)$/i.test(first)) return undefined
  return new Set(all.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase()))
}
