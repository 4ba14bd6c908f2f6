import type { RecordedExchange } from '#contract/models'
import type { Exchange } from '../engine/http/exchange.ts'

/** What is kept of an exchange (ours). */
const MAX_CHARACTERS = 4_000
const MAX_HEADER_CHARACTERS = 500
const MAX_READS = 200

/** An exchange as results keep it; nobody's key is in its headers. */
export function describeExchange({
  sent,
  status,
  headers,
  body,
  ending,
  headMs,
  endMs,
  reads,
}: Exchange): RecordedExchange {
  const { authorization, ...others } = sent.headers
  return {
    request: `${sent.method} ${sent.url}`,
    request_headers: {
      ...others,
      ...(authorization === undefined ? {} : { authorization: hidden(authorization) }),
    },
    request_body: shortened(sent.body),
    status: status === 0 ? null : status,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, clipped(value, MAX_HEADER_CHARACTERS)]),
    ),
    body: shortened(body),
    ending,
    head_ms: headMs === null ? null : Math.round(headMs),
    end_ms: Math.round(endMs),
    reads: reads
      .slice(0, MAX_READS)
      .map(({ atMs, bytes }) => ({ at_ms: Math.round(atMs), bytes: bytes.length })),
  }
}

/** How a key was sent, without the key: another scheme than `Bearer` is what some scenarios are about. */
function hidden(authorization: string): string {
  return `${/^[A-Za-z]+ /.exec(authorization)?.[0] ?? ''}[secret]`
}

function shortened(body: Buffer): string {
  return clipped(body.subarray(0, MAX_CHARACTERS * 4).toString('utf8'))
}

/** The beginning of a text. */
export function clipped(text: string, length = MAX_CHARACTERS): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
