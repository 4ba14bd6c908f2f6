import {
  type ErrorCode,
  errors,
  type OperationId,
  proxyStatuses,
  routes,
  type Validator,
  validators,
} from '#contract'
import { eventsOf } from './http/events.ts'
import { type Exchange, excerpt, isObject, textOf } from './http/exchange.ts'
import type { Origin } from './rules.ts'
import type { Subject } from './target.ts'

/** What an exchange was, to those who judge every one of them. */
export interface Circumstances {
  readonly subject: Subject
  /** Undefined for a path or a method that the contract does not know. */
  readonly operation: OperationId | undefined
  /** What must stand in no error: text of the prompt. */
  readonly canary: string
}

/** Something in an exchange that no answer may have, whatever the scenario was about. */
export interface Violation {
  /** Whose rule it breaks. */
  readonly origin: Origin
  readonly problem: string
}

type Check = (exchange: Exchange, circumstances: Circumstances) => readonly Violation[]

const checks: readonly Check[] = [
  isDeclared,
  namesTheRequest,
  hasItsContentType,
  hasItsShape,
  isRegistered,
  keepsThePrompt,
]

/** Judges one exchange by the rules that bind all of them. An answer that never began, or broke, shows nothing. */
export function checkExchange(exchange: Exchange, circumstances: Circumstances): readonly Violation[] {
  if (exchange.status === 0 || exchange.ending === 'broken') return []
  if (exchange.sent.method === 'OPTIONS') return []
  return checks.flatMap((check) => check(exchange, circumstances))
}

/** The content type of whole answers; what comes with parameters is as good. */
const JSON_TYPE = /^application\/json\b/

function isDeclared({ status }: Exchange, { operation, subject }: Circumstances): readonly Violation[] {
  const declared: readonly number[] = operation ? routes[operation].statuses : [404]
  const added: readonly number[] = subject === 'proxy' ? proxyStatuses : []
  if (declared.includes(status) || added.includes(status)) return []
  return [given(`status ${status} is not declared for ${operation ?? 'an unknown path'}`)]
}

function namesTheRequest({ headers }: Exchange, { subject }: Circumstances): readonly Violation[] {
  return subject === 'platform' || headers['x-request-id'] ? [] : [chosen('the response has no X-Request-Id')]
}

function hasItsContentType(exchange: Exchange, { operation }: Circumstances): readonly Violation[] {
  const type = exchange.headers['content-type'] ?? ''
  const isStream = type.startsWith('text/event-stream')
  if (isStream && exchange.status === 200 && operation && routes[operation].metered) return []
  return JSON_TYPE.test(type) ? [] : [given(`the content type of a ${exchange.status} is "${type}"`)]
}

function hasItsShape(exchange: Exchange, { operation }: Circumstances): readonly Violation[] {
  if (exchange.ending === 'aborted') return []
  if (exchange.headers['content-type']?.startsWith('text/event-stream'))
    return eventShapes(exchange, operation)
  const value = parse(textOf(exchange))
  if (value === undefined) return [given(`the body is not JSON: ${excerpt(textOf(exchange))}`)]
  if (exchange.status >= 400) {
    const isEvidence = operation === 'getEvidence' || operation === 'getEndpointEvidence'
    if (isEvidence && (exchange.status === 404 || exchange.status === 503))
      return refusalShape(exchange, value)
    return judge(validators.errorBody, value, 'given', 'the error')
  }
  const schema = operation && shapes[operation]
  return schema ? judge(schema.validate, value, schema.origin, 'the body') : []
}

function eventShapes(exchange: Exchange, operation: OperationId | undefined): readonly Violation[] {
  const validate = operation === 'createCompletion' ? validators.completionEvent : validators.chatEvent
  const { events, rest } = eventsOf(exchange)
  const violations = events.flatMap(({ data }) => {
    if (data === undefined || data === '[DONE]') return []
    const value = parse(data)
    if (value === undefined) return [given(`an event is not JSON: ${excerpt(data)}`)]
    return judge(validate, value, 'given', 'an event')
  })
  return rest === '' ? violations : [...violations, given('the stream ends in the middle of an event')]
}

function refusalShape({ status }: Exchange, value: unknown): readonly Violation[] {
  return status === 404
    ? judge(validators.evidenceNotFoundBody, value, 'given', 'the refusal')
    : judge(validators.evidenceNotFetchedBody, value, 'chosen', 'the refusal')
}

/** Bodies of successes; the given specification leaves names of some open. */
const shapes: Readonly<
  Partial<Record<OperationId, { readonly validate: Validator; readonly origin: Origin }>>
> = {
  createChatCompletion: { validate: validators.chatCompletion, origin: 'given' },
  createCompletion: { validate: validators.completion, origin: 'given' },
  createEmbedding: { validate: validators.embeddingList, origin: 'given' },
  listModels: { validate: validators.modelList, origin: 'chosen' },
  getModel: { validate: validators.model, origin: 'chosen' },
  getGeneration: { validate: validators.generationResult, origin: 'chosen' },
  getPlatformEvidence: { validate: validators.evidenceBundle, origin: 'given' },
  getInvitation: { validate: validators.invitation, origin: 'chosen' },
}

function isRegistered(exchange: Exchange): readonly Violation[] {
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

function keepsThePrompt(exchange: Exchange, { canary }: Circumstances): readonly Violation[] {
  if (exchange.status < 400 || !textOf(exchange).includes(canary)) return []
  return [given('the error repeats text of the prompt')]
}

function errorIn(exchange: Exchange): Readonly<Record<string, unknown>> | undefined {
  if (exchange.status < 400) return undefined
  const value = parse(textOf(exchange))
  return isObject(value) && isObject(value.error) ? value.error : undefined
}

function judge(validate: Validator, value: unknown, origin: Origin, what: string): readonly Violation[] {
  if (validate(value)) return []
  const [first] = validate.errors ?? []
  return [
    {
      origin,
      problem: `${what} is not as the contract says: ${first?.instancePath || 'it'} ${first?.message}`,
    },
  ]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function given(problem: string): Violation {
  return { origin: 'given', problem }
}

function chosen(problem: string): Violation {
  return { origin: 'chosen', problem }
}
