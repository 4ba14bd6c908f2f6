import { isObject } from '#base/object.ts'
import { type ErrorCode, errors } from '#contract/errors'
import type { RuleId } from '#contract/rules'
import { type Exchange, textOf } from '../http/exchange.ts'
import { ruleOfCode } from './codes.ts'
import { breaks, parse, type Violation } from './violation.ts'

/** Headers that go with a code by our own choice, and whose rule says so. */
const chosen: Readonly<Record<string, readonly RuleId[]>> = { 'retry-after-ms': ['LIM-28'] }

/** A code is registered, and comes with its status, its type and its headers. */
export function isRegistered(exchange: Exchange): readonly Violation[] {
  const error = errorIn(exchange)
  if (error === undefined) return []
  const { code, type } = error
  if (typeof code !== 'string' || !Object.hasOwn(errors, code)) {
    // No rule says that a router has no codes of its own.
    return [breaks([], `the error code ${JSON.stringify(code)} is not registered`)]
  }
  const entry = errors[code as ErrorCode]
  const missing = entry.headers.filter((name) => exchange.headers[name.toLowerCase()] === undefined)
  return [
    ...(exchange.status === entry.status ? [] : [`the code ${code} came with status ${exchange.status}`]),
    ...(type === entry.type ? [] : [`the code ${code} came with the type ${JSON.stringify(type)}`]),
  ]
    .map((problem) => breaks(ruleOfCode(code as ErrorCode), problem))
    .concat(
      missing.map((name) =>
        breaks(chosen[name] ?? ruleOfCode(code as ErrorCode), `the code ${code} came without ${name}`),
      ),
    )
}

function errorIn(exchange: Exchange): Readonly<Record<string, unknown>> | undefined {
  if (exchange.status < 400) return undefined
  const value = parse(textOf(exchange))
  return isObject(value) && isObject(value.error) ? value.error : undefined
}
