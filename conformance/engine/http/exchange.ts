import { isObject } from '#base/object.ts'
import * as assert from '../assert.ts'
import { parseJson } from './json.ts'

/** What was sent. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Bytes that arrived together, and when: milliseconds from the request. */
export interface Read {
  readonly atMs: number
  readonly bytes: Buffer
}

/** How an answer ended: as HTTP ends one, by our own wish, or by itself. */
export type Ending = 'complete' | 'aborted' | 'broken'

/** One request and all that came of it. */
export interface Exchange {
  readonly sent: Sent
  /** 0 when no answer came. */
  readonly status: number
  /** By lower-case name; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly reads: readonly Read[]
  readonly body: Buffer
  readonly ending: Ending
  /** What broke it. */
  readonly fault: string | undefined
  readonly headMs: number | null
  readonly endMs: number
  /** DER of the certificate that the connection showed; undefined without TLS. */
  readonly leaf: Buffer | undefined
}

/** Whether an answer says that it is an event stream. */
export function isEventStream({ headers }: Pick<Exchange, 'headers'>): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '')
}

/** The body as text. */
export function textOf({ body }: Exchange): string {
  return body.toString('utf8')
}

/** The body as JSON; fails the scenario when it is none. */
export function jsonOf(exchange: Exchange): unknown {
  try {
    return parseJson(textOf(exchange))
  } catch {
    return assert.fail(`the body is not JSON: ${excerpt(textOf(exchange))}`)
  }
}

/** The body as a JSON object; fails the scenario when it is none. */
export function objectOf(exchange: Exchange): Readonly<Record<string, unknown>> {
  const value = jsonOf(exchange)
  assert.ok(isObject(value), `the body is not a JSON object: ${excerpt(textOf(exchange))}`)
  return value
}

/** The beginning of a text. */
export function excerpt(text: string, length = 200): string {
  if (text === '') return '(nothing)'
  return text.length > length ? `${text.slice(0, length)}…` : text
}
