import type { IncomingMessage } from 'node:http'

/** Fields of one connection, which mean nothing on the next (RFC 9110, 7.6.1). */
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

/** Fields that tell where a message is for and where it ends: nobody can have them dropped. */
const KEPT = new Set(['content-length', 'host'])

/** Fields that the gateway itself answers or sets. */
const OWN = new Set(['expect', 'x-forwarded-for', 'x-forwarded-proto'])

/** The header of a request as the router gets it: what the client sent, and where it came from. */
export function requestHeaders({ rawHeaders }: IncomingMessage, peer: string): string[] {
  const names = namesOf(rawHeaders)
  const fields = endToEnd(rawHeaders, names, OWN)
  // A body without a length is one here as well; node:http encodes it anew.
  for (const value of valuesOf(rawHeaders, names, 'transfer-encoding'))
    fields.push('Transfer-Encoding', value)
  const sources = [...valuesOf(rawHeaders, names, 'x-forwarded-for'), peer]
  fields.push('X-Forwarded-For', sources.join(', '), 'X-Forwarded-Proto', 'https')
  return fields
}

/** The header of a response as the client gets it. */
export function responseHeaders({ rawHeaders }: IncomingMessage): string[] {
  return endToEnd(rawHeaders, namesOf(rawHeaders), NONE)
}

const NONE: ReadonlySet<string> = new Set()

/** Names and values in turn, without what belongs to the connection and without those `left` out. */
function endToEnd(raw: readonly string[], names: readonly string[], left: ReadonlySet<string>): string[] {
  const dropped = namedByConnection(raw, names)
  const fields: string[] = []
  for (let place = 0; place < names.length; place++) {
    const name = names[place]!
    if (HOP_BY_HOP.has(name) || left.has(name) || dropped.has(name)) continue
    fields.push(raw[2 * place]!, raw[2 * place + 1]!)
  }
  return fields
}

/** `Connection` may name further fields that end with it. */
function namedByConnection(raw: readonly string[], names: readonly string[]): ReadonlySet<string> {
  const values = valuesOf(raw, names, 'connection')
  if (values.length === 0) return NONE
  const named = values.flatMap((value) => value.toLowerCase().split(','))
  return new Set(named.map((name) => name.trim()).filter((name) => !KEPT.has(name)))
}

/** All values of a field; `names` are those of `raw`. */
function valuesOf(raw: readonly string[], names: readonly string[], wanted: string): string[] {
  const values: string[] = []
  for (let place = 0; place < names.length; place++) {
    if (names[place] === wanted) values.push(raw[2 * place + 1]!)
  }
  return values
}

/** The names in small letters, which all that look for one compare. */
function namesOf(raw: readonly string[]): string[] {
  const names: string[] = []
  for (let at = 0; at < raw.length; at += 2) names.push(raw[at]!.toLowerCase())
  return names
}
