import { consoleRoutes } from '#contract/console/routes'
import { type OperationId, routes } from '#contract/routes'
import type { RuleId } from '#contract/rules'
import type { Validator } from '#contract/validator'
import { isEvidenceBundle } from '#contract/validators/evidence-bundle'
import { isEvidenceNotFetchedBody } from '#contract/validators/evidence-not-fetched-body'
import { isEvidenceNotFoundBody } from '#contract/validators/evidence-not-found-body'
import { isInvitation } from '#contract/validators/invitation'
import { eventsOf } from '../http/events.ts'
import { type Exchange, excerpt, isEventStream, textOf } from '../http/exchange.ts'
import { type Form, forms, isError, mistakesIn } from './forms.ts'
import { ruleOfOperation } from './operations.ts'
import { breaks, type Circumstances, judge, parse, type Violation } from './violation.ts'

/** The content type of whole answers; what comes with parameters, or is named as a kind of JSON, is as good. */
const JSON_TYPE = /^application\/([\w.-]+\+)?json\b/i

/** Bodies of successes: their form, or whose rule the whole of them keeps. */
const shapes: Readonly<
  Partial<Record<OperationId, Form | { readonly validate: Validator; readonly rules: readonly RuleId[] }>>
> = {
  createChatCompletion: forms.chat,
  createCompletion: forms.completion,
  createEmbedding: forms.embeddings,
  listModels: forms.models,
  getModel: forms.model,
  getGeneration: forms.record,
  getEvidence: { validate: isEvidenceBundle, rules: ['EP-17'] },
  getEndpointEvidence: { validate: isEvidenceBundle, rules: ['EP-18'] },
  getPlatformEvidence: { validate: isEvidenceBundle, rules: ['EP-22'] },
  getInvitation: { validate: isInvitation, rules: ['INV-04'] },
}

/** An answer is JSON, or an event stream where one can be asked for. */
export function hasItsContentType(exchange: Exchange, circumstances: Circumstances): readonly Violation[] {
  const { operation } = circumstances
  const type = exchange.headers['content-type'] ?? ''
  if (isOtherThanJson(exchange, circumstances)) return []
  const isStream = isEventStream(exchange)
  if (isStream && exchange.status === 200 && operation && routes[operation].metered) return []
  if (isStreamOfText(exchange)) return [breaks(['STRM-01'], `the content type of a stream is "${type}"`)]
  if (JSON_TYPE.test(type)) return []
  const rules: readonly RuleId[] = exchange.status >= 400 ? ['ERR-02'] : ruleOfOperation(circumstances)
  return [breaks(rules, `the content type of a ${exchange.status} is "${type}"`)]
}

/** A body, or each event of a stream, is as the contract says. */
export function hasItsShape(exchange: Exchange, circumstances: Circumstances): readonly Violation[] {
  const { operation } = circumstances
  if (exchange.ending === 'aborted' || exchange.sent.method === 'HEAD') return []
  if (isOtherThanJson(exchange, circumstances)) return []
  if (isEventStream(exchange) || isStreamOfText(exchange)) return eventShapes(exchange, operation)
  const value = parse(textOf(exchange))
  if (value === undefined) {
    const rules: readonly RuleId[] = exchange.status >= 400 ? ['ERR-02'] : ruleOfOperation(circumstances)
    return [breaks(rules, `the body is not JSON: ${excerpt(textOf(exchange))}`)]
  }
  if (exchange.status >= 400) return errorShape(exchange, operation, value)
  const shape = operation && shapes[operation]
  if (shape === undefined) return []
  return 'sample' in shape
    ? mistaken(value, shape, 'the body')
    : judge(shape.validate, value, shape.rules, 'the body')
}

/** The console has answers without a body, files and event streams, which its scenarios judge. */
function isOtherThanJson({ status, body }: Exchange, { consoleOperation }: Circumstances): boolean {
  if (consoleOperation === undefined || status >= 400) return false
  return consoleRoutes[consoleOperation].raw || body.length === 0
}

/** A stream by what stands in it, whatever its content type says. */
function isStreamOfText(exchange: Exchange): boolean {
  const isOther = !isEventStream(exchange)
  return isOther && exchange.status === 200 && /^(data:|:)/.test(exchange.body.toString('utf8', 0, 5))
}

function eventShapes(exchange: Exchange, operation: OperationId | undefined): readonly Violation[] {
  const form = operation === 'createCompletion' ? forms.completionChunk : forms.chatChunk
  const { events, rest } = eventsOf(exchange)
  const violations = events.flatMap(({ data }) => {
    if (data === undefined || data === '[DONE]') return []
    const value = parse(data)
    if (value === undefined) return [breaks(form.rules, `an event is not JSON: ${excerpt(data)}`)]
    return mistaken(value, isError(value) ? forms.error : form, 'an event')
  })
  const last = events.findLast(({ data }) => data !== undefined)
  return [
    ...violations,
    ...(last?.data === '[DONE]' ? [] : [breaks(['STRM-04', 'EVT-05'], 'the last event is not [DONE]')]),
    ...(rest === '' ? [] : [breaks(form.rules, 'the stream ends in the middle of an event')]),
  ]
}

/** Evidence is refused in a form of its own. */
function errorShape(
  { status }: Exchange,
  operation: OperationId | undefined,
  value: unknown,
): readonly Violation[] {
  const isEvidence = operation === 'getEvidence' || operation === 'getEndpointEvidence'
  if (isEvidence && status === 404) return judge(isEvidenceNotFoundBody, value, ['EVID-17'], 'the refusal')
  // The proxy's own 503 is an error like any other.
  if (isEvidence && status === 503 && !isError(value)) {
    return judge(isEvidenceNotFetchedBody, value, ['EVID-21'], 'the refusal')
  }
  return mistaken(value, forms.error, 'the error')
}

function mistaken(value: unknown, form: Form, what: string): readonly Violation[] {
  return mistakesIn(value, form).map(({ rules, problem }) =>
    breaks(rules, `${what} is not as the contract says: ${problem}`),
  )
}
