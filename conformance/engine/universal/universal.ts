import { consoleRoutes } from '#contract/console/routes'
import { proxyStatuses, routes } from '#contract/routes'
import { type Exchange, textOf } from '../http/exchange.ts'
import { isRegistered } from './registered.ts'
import { hasItsContentType, hasItsShape } from './shape.ts'
import { type Check, type Circumstances, chosen, given, type Violation } from './violation.ts'

const checks: readonly Check[] = [
  isDeclared,
  namesTheRequest,
  hasItsContentType,
  hasItsShape,
  isRegistered,
  keepsThePrompt,
  isKeptNowhere,
]

/** Judges one exchange by the rules that bind all of them. An answer that never began, or broke, shows nothing. */
export function checkExchange(exchange: Exchange, circumstances: Circumstances): readonly Violation[] {
  if (exchange.status === 0 || exchange.ending === 'broken') return []
  if (exchange.sent.method === 'OPTIONS') return []
  return checks.flatMap((check) => check(exchange, circumstances))
}

/** A head that is too large is refused before anybody knows what it asks for (REQ-61): no operation declares it. */
const BEFORE_ANY_PATH = [431]

function isDeclared({ status }: Exchange, circumstances: Circumstances): readonly Violation[] {
  const { operation, consoleOperation, subject } = circumstances
  const route = operation ? routes[operation] : consoleOperation && consoleRoutes[consoleOperation]
  const declared: readonly number[] = route?.statuses ?? [404]
  const added: readonly number[] = subject === 'proxy' ? proxyStatuses : []
  if ([...declared, ...added, ...BEFORE_ANY_PATH].includes(status)) return []
  return [given(`status ${status} is not declared for ${operation ?? consoleOperation ?? 'an unknown path'}`)]
}

function namesTheRequest({ headers }: Exchange, { subject }: Circumstances): readonly Violation[] {
  return subject === 'platform' || headers['x-request-id'] ? [] : [chosen('the response has no X-Request-Id')]
}

/** CONS-54. */
function isKeptNowhere({ headers }: Exchange, { consoleOperation }: Circumstances): readonly Violation[] {
  const isKept = consoleOperation && !/\bno-store\b/.test(headers['cache-control'] ?? '')
  return isKept ? [chosen(`an answer to ${consoleOperation} may be stored`)] : []
}

function keepsThePrompt(exchange: Exchange, { canary }: Circumstances): readonly Violation[] {
  if (exchange.status < 400 || !textOf(exchange).includes(canary)) return []
  return [given('the error repeats text of the prompt')]
}
