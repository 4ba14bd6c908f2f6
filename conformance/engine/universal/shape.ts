import { consoleRoutes } from '#contract/console/routes'
import { type OperationId, routes } from '#contract/routes'
import type { Validator } from '#contract/validator'
import { isChatCompletion } from '#contract/validators/chat-completion'
import { isChatEvent } from '#contract/validators/chat-event'
import { isCompletion } from '#contract/validators/completion'
import { isCompletionEvent } from '#contract/validators/completion-event'
import { isEmbeddingList } from '#contract/validators/embedding-list'
import { isErrorBody } from '#contract/validators/error-body'
import { isEvidenceBundle } from '#contract/validators/evidence-bundle'
import { isEvidenceNotFetchedBody } from '#contract/validators/evidence-not-fetched-body'
import { isEvidenceNotFoundBody } from '#contract/validators/evidence-not-found-body'
import { isGenerationResult } from '#contract/validators/generation-result'
import { isInvitation } from '#contract/validators/invitation'
import { isModel } from '#contract/validators/model'
import { isModelList } from '#contract/validators/model-list'
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
  createChatCompletion: { validate: isChatCompletion, origin: 'given' },
  createCompletion: { validate: isCompletion, origin: 'given' },
  createEmbedding: { validate: isEmbeddingList, origin: 'given' },
  listModels: { validate: isModelList, origin: 'chosen' },
  getModel: { validate: isModel, origin: 'chosen' },
  getGeneration: { validate: isGenerationResult, origin: 'chosen' },
  getEvidence: { validate: isEvidenceBundle, origin: 'given' },
  getEndpointEvidence: { validate: isEvidenceBundle, origin: 'given' },
  getPlatformEvidence: { validate: isEvidenceBundle, origin: 'given' },
  getInvitation: { validate: isInvitation, origin: 'chosen' },
}

/** An answer is JSON, or an event stream where one can be asked for. */
export function hasItsContentType(exchange: Exchange, circumstances: Circumstances): readonly Violation[] {
  const { operation } = circumstances
  const type = exchange.headers['content-type'] ?? ''
  if (isOtherThanJson(exchange, circumstances)) return []
  const isStream = type.startsWith('text/event-stream')
  if (isStream && exchange.status === 200 && operation && routes[operation].metered) return []
  return JSON_TYPE.test(type) ? [] : [given(`the content type of a ${exchange.status} is "${type}"`)]
}

/** A body, or each event of a stream, is as the contract says. */
export function hasItsShape(exchange: Exchange, circumstances: Circumstances): readonly Violation[] {
  const { operation } = circumstances
  if (exchange.ending === 'aborted' || exchange.sent.method === 'HEAD') return []
  if (isOtherThanJson(exchange, circumstances)) return []
  if (exchange.headers['content-type']?.startsWith('text/event-stream'))
    return eventShapes(exchange, operation)
  const value = parse(textOf(exchange))
  if (value === undefined) return [given(`the body is not JSON: ${excerpt(textOf(exchange))}`)]
  if (exchange.status >= 400) return errorShape(exchange, operation, value)
  const shape = operation && shapes[operation]
  return shape ? judge(shape.validate, value, shape.origin, 'the body') : []
}

/** The console has answers without a body, files and event streams, which its scenarios judge. */
function isOtherThanJson({ status, body }: Exchange, { consoleOperation }: Circumstances): boolean {
  if (consoleOperation === undefined || status >= 400) return false
  return consoleRoutes[consoleOperation].raw || body.length === 0
}

function eventShapes(exchange: Exchange, operation: OperationId | undefined): readonly Violation[] {
  const validate = operation === 'createCompletion' ? isCompletionEvent : isChatEvent
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
  if (isEvidence && status === 404) return judge(isEvidenceNotFoundBody, value, 'given', 'the refusal')
  if (isEvidence && status === 503 && !hasError(value)) {
    return judge(isEvidenceNotFetchedBody, value, 'chosen', 'the refusal')
  }
  return judge(isErrorBody, value, 'given', 'the error')
}

/** The proxy's own 503 is an error like any other. */
function hasError(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'error' in value
}
