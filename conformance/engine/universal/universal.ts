import { isObject } from '#base/object.ts'
import { consoleRoutes } from '#contract/console/routes'
import { proxyStatuses, routes } from '#contract/routes'
import { type Exchange, isEventStream, textOf } from '../http/exchange.ts'
import { inWireForm } from './open.ts'
import { ruleOfOperation } from './operations.ts'
import { isRegistered } from './registered.ts'
import { hasItsContentType, hasItsShape } from './shape.ts'
import { breaks, type Check, type Circumstances, parse, type Violation } from './violation.ts'

const checks: readonly Check[] = [
  isDeclared,
  namesTheRequest,
  hasItsContentType,
  hasItsShape,
  isRegistered,
  keepsThePrompt,
  isInChosenForm,
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
  const name = operation ?? consoleOperation ?? 'an unknown path'
  // No rule says that a router refuses nothing else; what goes with a code it says by its code.
  const rules = status >= 400 && operation !== undefined ? [] : ruleOfOperation(circumstances)
  return [breaks(rules, `status ${status} is not declared for ${name}`)]
}

function namesTheRequest({ headers }: Exchange, { subject }: Circumstances): readonly Violation[] {
  return subject === 'platform' || headers['x-request-id']
    ? []
    : [breaks(['HDR-09'], 'the response has no X-Request-Id')]
}

/** CONS-54. */
function isKeptNowhere({ headers }: Exchange, { consoleOperation }: Circumstances): readonly Violation[] {
  const isKept = consoleOperation && !/\bno-store\b/.test(headers['cache-control'] ?? '')
  return isKept ? [breaks(['CONS-54'], `an answer to ${consoleOperation} may be stored`)] : []
}

function keepsThePrompt(exchange: Exchange, { canary }: Circumstances): readonly Violation[] {
  if (exchange.status < 400 || !textOf(exchange).includes(canary)) return []
  return [breaks(['ERR-49'], 'the error repeats text of the prompt')]
}

/** What the given specification leaves open, in the form that was chosen. */
function isInChosenForm(exchange: Exchange): readonly Violation[] {
  const value = isEventStream(exchange) ? undefined : parse(textOf(exchange))
  if (!isObject(value)) return []
  const { error, usage } = value
  const isNull = exchange.status >= 400 && isObject(error) && error.param === null
  const isHex = isObject(usage) && inWireForm(usage.evidence_digest) !== usage.evidence_digest
  return [
    ...(isNull ? [breaks(['ERR-50'], 'the param of an error is null')] : []),
    ...(isHex ? [breaks(['CHAT-13'], 'usage.evidence_digest is not in wire form')] : []),
  ]
}
