import { isObject } from '#base/object.ts'
import type { ObservedAnswer } from '#contract/models'
import { eventsOf } from '../engine/http/events.ts'
import { type Exchange, textOf } from '../engine/http/exchange.ts'
import { parseJson } from '../engine/http/json.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { Target } from '../engine/target.ts'
import { operationOf } from './operation.ts'

/** Which answers passing scenarios were given, for the coverage of statuses, codes and reasons. */
export function observe(outcomes: readonly Outcome[], target: Target): ObservedAnswer[] {
  const counts = new Map<string, ObservedAnswer>()
  for (const { exchanges, verdict, subject } of outcomes) {
    if (verdict !== 'pass' && verdict !== 'warn') continue
    for (const exchange of exchanges) {
      const operation = operationOf(exchange.sent, target)
      if (operation === undefined || exchange.status === 0) continue
      const refusal = refusalIn(exchange)
      const seen = {
        subject,
        operation,
        status: exchange.status,
        code: codeOf(refusal),
        ground: groundOf(refusal),
      }
      const name = JSON.stringify(seen)
      counts.set(name, { ...seen, count: (counts.get(name)?.count ?? 0) + 1 })
    }
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, answer]) => answer)
}

/** The body of an error; of a stream its last event, when that is one. */
function refusalIn(exchange: Exchange): Readonly<Record<string, unknown>> {
  if (exchange.headers['content-type']?.startsWith('text/event-stream')) {
    const data = eventsOf(exchange).events.flatMap(({ data }) => data ?? [])
    return parse(data.at(-1) === '[DONE]' ? (data.at(-2) ?? '') : '')
  }
  return exchange.status < 400 ? {} : parse(textOf(exchange))
}

function codeOf({ error }: Readonly<Record<string, unknown>>): string | null {
  return isObject(error) && typeof error.code === 'string' ? error.code : null
}

function groundOf({ error, stage, reason }: Readonly<Record<string, unknown>>): string | null {
  return isObject(error) && typeof stage === 'string' && typeof reason === 'string'
    ? `${stage}/${reason}`
    : null
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = parseJson(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
