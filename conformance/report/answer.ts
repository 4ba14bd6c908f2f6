import { isObject } from '#base/object.ts'
import type { RecordedExchange, RuleBreak, ScenarioResult } from '#contract/models'

/** So much of a body tells one answer from another (ours). */
const SHOWN = 40

/** So much of a quoted body tells which exchange it is of (ours). */
const QUOTED = 80

/**
 * The answer that a failed check stumbled over, in words that are the same for every request alike: what came, and what was
 * asked where that matters. Undefined where no answer is to blame, but what stands in it.
 */
export function answerOf(
  { problem }: Pick<RuleBreak, 'problem'>,
  scenario?: ScenarioResult,
): string | undefined {
  const statuses = /expected (\d{3}), got (2\d\d)\b/.exec(problem)
  if (statuses !== null) return `${statuses[2]} in place of ${statuses[1]}`
  const exchanges = scenario?.exchanges ?? []
  // An assertion is made of what it quotes, else of what came last.
  const quoted = quotedIn(problem)
  const last =
    (quoted && exchanges.findLast(({ body }) => beginningOf(body).startsWith(quoted))) || exchanges.at(-1)
  if (last === undefined || last.status === null || last.status < 400) return undefined
  return `${last.status} ${kindOf(last)} to ${requestOf(last)}`
}

/** Whether an answer says that all went well where a failure was to be told. */
export function isFalseSuccess(answer: string | undefined): boolean {
  return /^2\d\d in place of 5\d\d/.test(answer ?? '')
}

/** The beginning of a body that a problem quotes at its end; undefined where it quotes none. */
function quotedIn(problem: string): string | undefined {
  const body = /(?:in|got \d{3}:) (\{.*)$/m.exec(problem)?.[1]
  return body === undefined ? undefined : beginningOf(body.replace(/…$/, ''))
}

/** So much of a body as tells which it is, its blanks alike. */
function beginningOf(body: string): string {
  return body.replace(/\s+/g, ' ').slice(0, QUOTED)
}

/** An error by its code and type, other JSON by its members, and what is none by its beginning. */
function kindOf({ body }: RecordedExchange): string {
  try {
    const value: unknown = JSON.parse(body)
    if (isObject(value) && isObject(value.error))
      return JSON.stringify({ type: value.error.type, code: value.error.code })
    if (isObject(value)) return `{${Object.keys(value).sort().join(', ')}}`
  } catch {
    // It is no JSON.
  }
  return JSON.stringify(body.slice(0, SHOWN))
}

/** Where nothing was found it matters what was looked for; else whether there was a key. */
function requestOf({ request, request_headers: headers, status }: RecordedExchange): string {
  if (status === 404) return request.replace(/ https?:\/\/[^/]+(?:\/v1)?/, ' ').replace(/\?.*$/, '')
  return 'authorization' in headers ? 'requests with a key' : 'requests without a key'
}
