import { type OperationId, routes, type Validator, validators } from '#contract'
import { eventsOf } from '../http/events.ts'
import { type Exchange, excerpt, textOf } from '../http/exchange.ts'
import type { Origin } from '../rules.ts'
import { type Circumstances, given, judge, parse, type Violation } from './violation.ts'

/** The content type of whole answers; what comes with parameters is as good. */
const JSON_TYPE = /^application\/json\b/

/** Bodies of successes; the given specification leaves the names in some of them open. */
const shapes: Readonly<
  Partial<Record<OperationId, { readonly validate: Validator; readonly origin: Origin }>>
> = {
  createChatCompletion: { validate: validators.chatCompletion, origin: 'given' },
  createCompletion: { validate: validators.completion, origin: 'given' },
  createEmbedding: { validate: validators.embeddingList, origin: 'given' },
  listModels: { validate: validators.modelList, origin: 'chosen' },
  getModel: { validate: validators.model, origin: 'chosen' },
  getGeneration: { validate: validators.generationResult, origin: 'chosen' },
  getEvidence: { validate: validators.evidenceBundle, origin: 'given' },
  getEndpointEvidence: { validate: validators.evidenceBundle, origin: 'given' },
  getPlatformEvidence: { validate: validators.evidenceBundle, origin: 'given' },
  getInvitation: { validate: validators.invitation, origin: 'chosen' },
}

/** An answer is JSON, or an event stream where one can be asked for. */
export function hasItsContentType(exchange: Exchange, { operation }: Circumstances): readonly Violation[] {
  const type = exchange.headers['content-type'] ?? ''
  const isStream = type.startsWith('text/event-stream')
  if (isStream && exchange.status === 200 && operation && routes[operation].metered) return []
  return JSON_TYPE.test(type) ? [] : [given(`the content type of a ${exchange.status} is "${type}"`)]
}

/** A body, or each event of a stream, is as the contract says. */
export function hasItsShape(exchange: Exchange, { operation }: Circumstances): readonly Violation[] {
  if (exchange.ending === 'aborted' || exchange.sent.method === 'HEAD') return []
  if (exchange.headers['content-type']?.startsWith('text/event-stream'))
    return eventShapes(exchange, operation)
  const value = parse(textOf(exchange))
  if (value === undefined) return [given(`the body is not JSON: ${excerpt(textOf(exchange))}`)]
  if (exchange.status >= 400) return errorShape(exchange, operation, value)
  const shape = operation && shapes[operation]
  return shape ? judge(shape.validate, value, shape.origin, 'the body') : []
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

/** Evidence is refused in a form of its own. */
function errorShape(
  { status }: Exchange,
  operation: OperationId | undefined,
  value: unknown,
): readonly Violation[] {
  const isEvidence = operation === 'getEvidence' || operation === 'getEndpointEvidence'
  if (isEvidence && status === 404)
    return judge(validators.evidenceNotFoundBody, value, 'given', 'the refusal')
  if (isEvidence && status === 503 && !hasError(value)) {
    return judge(validators.evidenceNotFetchedBody, value, 'chosen', 'the refusal')
  }
  return judge(validators.errorBody, value, 'given', 'the error')
}

/** The proxy's own 503 is an error like any other. */
function hasError(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'error' in value
}
