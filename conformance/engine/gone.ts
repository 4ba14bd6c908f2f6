import { AssertionError } from './assert.ts'
import type { Call } from './http/call.ts'
import { Interrupted } from './thrown.ts'

/** A product that takes no connection any more: what a scenario missed then says nothing of it. */
class Gone extends Interrupted {
  override readonly name = 'Gone'
}

/** What was thrown, or a `Gone` in its place where a connection to the product was refused meanwhile. */
export function blameAbsence(thrown: unknown, calls: readonly Call[]): unknown {
  if (!(thrown instanceof AssertionError)) return thrown
  const refused = calls.find(({ exchange }) => exchange.status === 0 && REFUSED.test(exchange.fault ?? ''))
  if (refused === undefined) return thrown
  const { origin } = new URL(refused.exchange.sent.url)
  return new Gone(`nothing answers at ${origin} any more: ${refused.exchange.fault}`)
}

/** How Node says that nobody listens. */
const REFUSED = /\b(ECONNREFUSED|EHOSTUNREACH|ENOTFOUND)\b/
