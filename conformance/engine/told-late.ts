import { isObject } from '#base/object.ts'
import type { ErrorCode } from '#contract/errors'
import { commentsOf, eventsOf } from './http/events.ts'
import { type Exchange, isEventStream } from './http/exchange.ts'
import { parseJson } from './http/json.ts'

/** What a backend's failure can be told as. */
const CODES: readonly ErrorCode[] = [
  'backend_unavailable',
  'backend_error',
  'unsupported_parameter',
  'context_length_exceeded',
  'request_too_large',
]

/**
 * The event in which a stream tells that its backend has failed, where pings had begun by then and nothing else had come:
 * its status is 200 already (STRM-11). Undefined for any other answer. How soon a scripted backend is heard is the
 * machine's matter, so a scenario that asks for a refusal finds either.
 */
export function toldLate(exchange: Exchange): Readonly<Record<string, unknown>> | undefined {
  if (exchange.status !== 200 || !isEventStream(exchange) || commentsOf(exchange).length === 0)
    return undefined
  const first = eventsOf(exchange).events.find(({ data }) => data !== undefined)?.data
  const event = parse(first ?? '')
  if (!isObject(event) || !isObject(event.error)) return undefined
  const { code } = event.error
  return CODES.some((known) => known === code) ? event : undefined
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
