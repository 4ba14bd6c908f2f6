import type { RecordedExchange } from '#contract/models'
import type { Exchange } from '../engine/http/exchange.ts'
import { KEPT_BYTES } from '../engine/outcome.ts'
import { type Redactor, SECRET } from '../engine/redact.ts'

/** What is kept of an exchange (ours). */
const MAX_CHARACTERS = 4_000
const MAX_HEADER_CHARACTERS = 500
const MAX_READS = 200

/** So much of a long body is kept of its end (ours): what ends a stream stands there. */
const END_CHARACTERS = 1_000

/** Stands for a key that was sent and is none of the run's. */
export const ANOTHER_KEY = '[another key]'

/** Stands in a body for what is not kept of it. */
export const LEFT_OUT = '\n… (left out) …\n'

/** An exchange as results keep it; nobody's key is in its headers, and none is cut in two by what is left out. */
export function describeExchange(
  { sent, status, headers, body, ending, headMs, endMs, reads }: Exchange,
  redactor?: Redactor,
): RecordedExchange {
  const { authorization, ...others } = sent.headers
  return {
    request: `${sent.method} ${sent.url}`,
    request_headers: {
      ...others,
      ...(authorization === undefined ? {} : { authorization: hidden(authorization, redactor) }),
    },
    request_body: shortened(sent.body, redactor),
    status: status === 0 ? null : status,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, clipped(value, MAX_HEADER_CHARACTERS)]),
    ),
    body: shortened(body, redactor),
    ending,
    head_ms: headMs === null ? null : Math.round(headMs),
    end_ms: Math.round(endMs),
    reads: reads
      .slice(0, MAX_READS)
      .map(({ atMs, bytes }) => ({ at_ms: Math.round(atMs), bytes: bytes.length })),
  }
}

/** How a key was sent, without the key, and whether it is one that the run knows; another scheme than `Bearer` stays. */
function hidden(authorization: string, redactor: Redactor | undefined): string {
  const scheme = /^[A-Za-z]+ /.exec(authorization)?.[0] ?? ''
  const key = authorization.slice(scheme.length)
  const isKnown = redactor === undefined || redactor.isSecret(key)
  return `${scheme}${isKnown ? SECRET : ANOTHER_KEY}`
}

/** The beginning and the end of a body; of one that was cut while it was kept, the beginning. */
function shortened(body: Buffer, redactor: Redactor | undefined): string {
  const written = body.toString('utf8')
  const text = redactor?.redact(written) ?? written
  if (text.length <= MAX_CHARACTERS || body.length === KEPT_BYTES) return clipped(text)
  return `${text.slice(0, MAX_CHARACTERS - END_CHARACTERS)}${LEFT_OUT}${text.slice(-END_CHARACTERS)}`
}

/** The beginning of a text. */
export function clipped(text: string, length = MAX_CHARACTERS): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
