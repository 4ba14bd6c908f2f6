import { isObject } from '#base/object.ts'
import { type ErrorCode, errors } from '#contract/errors'
import { type Exchange, textOf } from '../http/exchange.ts'
import { chosen, parse, type Violation } from './violation.ts'

/** A code is registered, and comes with its status, its type and its headers. */
export function isRegistered(exchange: Exchange): readonly Violation[] {
  const error = errorIn(exchange)
  if (error === undefined) return []
  const { code, type } = error
  if (typeof code !== 'string' || !Object.hasOwn(errors, code)) {
    return [chosen(`the error code ${JSON.stringify(code)} is not registered`)]
  }
  const entry = errors[code as ErrorCode]
  const missing = entry.headers.filter((name) => exchange.headers[name.toLowerCase()] === undefined)
  return [
    ...(exchange.status === entry.status ? [] : [`the code ${code} came with status ${exchange.status}`]),
    ...(type === entry.type ? [] : [`the code ${code} came with the type ${JSON.stringify(type)}`]),
    ...missing.map((name) => `the code ${code} came without ${name}`),
  ].map((problem) => ({ origin: entry.origin, problem }))
}

function errorIn(exchange: Exchange): Readonly<Record<string, unknown>> | undefined {
  if (exchange.status < 400) return undefined
  const value = parse(textOf(exchange))
  return isObject(value) && isObject(value.error) ? value.error : undefined
}
