import { limits } from '#contract/limits'
import { createBodyCheck, flawError } from '../admission/body-fields.ts'
import { type Caller, createCaller } from '../admission/caller.ts'
import type { Reservation } from '../admission/gate.ts'
import { parseAuthorization } from '../admission/key.ts'
import type { FindKey } from '../admission/key-finder.ts'
import { countPrompt, refuseLongPrompt } from '../admission/prompt-length.ts'
import { type InferenceRequest, type NamedModel, parseModel, parseRequest } from '../admission/request.ts'
import { ClientGone, declaredLength, readBody } from '../bodies/body.ts'
import type { BodyLease } from '../bodies/body-memory.ts'
import type { ServedModel } from '../config/router.ts'
import { ApiError } from '../errors.ts'
import { rateLimitHeaders } from '../limits/refusal.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { Meter } from '../meter.ts'
import { type Operation, operations } from '../operation.ts'
import type { Shelf } from '../publication/shelf.ts'
import { keepBody } from '../relay/kept-body.ts'
import type { RelayTask } from '../relay/task.ts'
import type { Edition } from '../reload/edition.ts'
import type { Editions, Visit } from '../reload/editions.ts'
import { placeRequest } from '../upstreams/placement.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import { additionsOf, preparing, sizeFallbacks, sizeFor } from './fallbacks.ts'
import type { RawHandler, RawRequest } from './handlers.ts'

/** What the inference routes need from the rest of the router. */
export interface InferenceDependencies {
  /** What the configuration says. A request goes to its end by the one that is in force when its body has been read. */
  readonly editions: Pick<Editions, 'current' | 'visit'>
  readonly findKey: FindKey
  readonly meter: Meter
  /** The publication in force at admission is what a generation names (CHAT-14). */
  readonly shelf: Shelf
  readonly upstreams: Pick<Upstreams, 'find'>
  readonly sourceAddressOf: SourceAddressOf
  readonly createGenerationId: () => string
  readonly now: () => Date
  /** Ends what still runs when the router has to stop. */
  readonly signal: AbortSignal
}

/** The one way into every metered route: judged, held, relayed, settled (REQ-20, M-20). */
export function serveInference(operation: Operation, dependencies: InferenceDependencies): RawHandler {
  const { editions, findKey, meter, sourceAddressOf } = dependencies
  return async (raw) => {
    const { incoming, trace } = raw
    const { memory, config, hasFreeModels } = editions.current
    const keyHash = parseAuthorization(incoming.headers.authorization)
    const caller = createCaller(findKey, keyHash, trace)
    if (isEncoded(incoming)) {
      await caller.require()
      throw new ApiError('unsupported_media_type', ENCODED)
    }
    const length = declaredLength(incoming)
    const pool = length === undefined || length > limits.keyFirstBodyBytes ? 'large' : 'small'
    const address = sourceAddressOf(incoming)
    const reserved = pool === 'large' ? await meter.reserve(caller, hasFreeModels) : undefined
    const known = reserved ?? (memory.isCrowded(address) ? await caller.require() : undefined)
    const lease = memory.open({ pool, address, workspaceId: known?.rates.workspaceId })
    const reading = { maxBytes: config.limits.maxBodyBytes, lease }
    const visit = editions.visit()
    try {
      const task = await accept(operation, { caller, reserved }, raw, dependencies, reading, visit)
      const { relay } = visit.enter()
      await (task.generation.streamed ? relay.stream(task) : relay.answer(task))
    } catch (thrown) {
      if (!(thrown instanceof ClientGone)) throw thrown
    } finally {
      visit.leave()
      lease.release()
    }
  }
}

const ENCODED = 'The request body is encoded; send it as it is, without Content-Encoding.'

function isEncoded({ headers }: RawRequest['incoming']): boolean {
  const encoding = headers['content-encoding']
  return encoding !== undefined && encoding.trim().toLowerCase() !== 'identity'
}

/** Who asks, and what was taken for them before their body was read. */
interface Asking {
  readonly caller: Caller
  readonly reserved: Reservation | undefined
}

/** How a body may be read. */
interface Reading {
  readonly maxBytes: number
  readonly lease: BodyLease
}

/** What was read and parsed stays in here: an answer may run for an hour, and only the task lives as long. */
async function accept(
  operation: Operation,
  { caller, reserved }: Asking,
  { incoming, response, startedAtMs, trace }: RawRequest,
  dependencies: InferenceDependencies,
  reading: Reading,
  visit: Visit,
): Promise<RelayTask> {
  const { meter, createGenerationId, now, signal } = dependencies
  if (incoming.headers.expect !== undefined) response.writeContinue()
  const { model, request, edition } = await judge(operation, incoming, reading, caller, visit)
  const { catalogue, tokenizers } = edition
  const authorize = () => caller.require(model)
  const read = { operation, model, request, requestId: trace.requestId }
  const told = await refuseLongPrompt(read, tokenizers, authorize)
  const { endpoint, evidenceDigest, passage } = await placeRequest(model, dependencies, authorize)
  const own = sizeFor(model, request)
  const others = sizeFallbacks(operation, model, catalogue.models, request)
  const asked = {
    id: createGenerationId(),
    requestId: trace.requestId,
    operation,
    streamed: request.streamed,
    model: model.id,
    endpoint,
    evidenceDigest,
    pricing: model.pricing,
    ...own.tokens,
    startedAtMs,
    createdAt: now(),
  }
  // Whichever serves, it costs no more than is held.
  const holdMicros = Math.max(...[own, ...others].map((sized) => sized.holdMicros))
  const generation = await meter.accept({ caller, generation: asked, holdMicros }, reserved)
  trace.generationId = generation.id
  // Every answer to an accepted request names its generation and the tighter request bucket, errors too.
  response.setHeader('X-Router-Generation-Id', generation.id)
  response.setHeaders(new Map(Object.entries(rateLimitHeaders(generation.rateLimit))))
  const promptCount = countPrompt(read, tokenizers, told)
  return {
    generation,
    path: operations[operation].route.path,
    body: keepBody(request.body, reading.lease.release),
    ...additionsOf(own.cap),
    includeUsage: request.includeUsage,
    ...(promptCount && { promptCount }),
    response,
    signal,
    ...(passage && { passage }),
    fallbacks: others.map((other) => preparing(other, dependencies, caller.require)),
  }
}

/**
 * Reads a request in the order of the contract. What is wrong with the key, or with its scope, comes before what is
 * wrong with the body's fields, so a refusal of those waits for the key's look-up; a request without a mistake needs
 * none, for admission judges its key.
 */
async function judge(
  operation: Operation,
  incoming: RawRequest['incoming'],
  reading: Reading,
  caller: Caller,
  visit: Visit,
): Promise<{ model: ServedModel; request: InferenceRequest; edition: Edition }> {
  let named: NamedModel | undefined
  const check = createBodyCheck()
  const inspect = (piece: Buffer) => (check.push(piece) ? undefined : flawError(check.flaw!))
  try {
    const bytes = await readBody(incoming, { ...reading, inspect })
    const edition = visit.enter()
    named = parseModel(operation, bytes, edition.catalogue, check)
    return { model: named.model, request: parseRequest(operation, named), edition }
  } catch (refusal) {
    if (refusal instanceof ClientGone) throw refusal
    await caller.require(named?.model)
    throw refusal
  }
}
