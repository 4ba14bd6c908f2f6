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

type Field = readonly [name: string, value: string]

/** The header of a request as the router gets it: what the client sent, and where it came from. */
export function requestHeaders(request: IncomingMessage, peer: string): string[] {
  const fields = fieldsOf(request.rawHeaders)
  const passed = endToEnd(fields).filter(([name]) => !OWN.has(name.toLowerCase()))
  const sources = [...valuesOf(fields, 'x-forwarded-for'), peer]
  // A body without a length is one here as well; node:http encodes it anew.
  const coding = valuesOf(fields, 'transfer-encoding').flatMap((value) => ['Transfer-Encoding', value])
  return [...passed.flat(), ...coding, 'X-Forwarded-For', sources.join(', '), 'X-Forwarded-Proto', 'https']
}

/** The header of a response as the client gets it. */
export function responseHeaders({ rawHeaders }: IncomingMessage): string[] {
  return endToEnd(fieldsOf(rawHeaders)).flat()
}

function endToEnd(fields: readonly Field[]): Field[] {
  const named = valuesOf(fields, 'connection').flatMap((value) => value.toLowerCase().split(','))
  const dropped = new Set(named.map((name) => name.trim()).filter((name) => !KEPT.has(name)))
  return fields.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()) && !dropped.has(name.toLowerCase()))
}

function valuesOf(fields: readonly Field[], wanted: string): string[] {
  return fields.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []))
}

function fieldsOf(raw: readonly string[]): Field[] {
  const fields: Field[] = []
  for (let at = 0; at < raw.length; at += 2) fields.push([raw[at]!, raw[at + 1]!])
  return fields
}
