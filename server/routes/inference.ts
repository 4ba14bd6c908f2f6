import { limits } from '#contract'
import { requireKey } from '../admission/authenticate.ts'
import { boundPrompt, capOutput, holdMicros } from '../admission/hold.ts'
import { parseAuthorization } from '../admission/key.ts'
import {
  type InferenceRequest,
  type NamedModel,
  parseModel,
  parseRequest,
  type ReadableOperation,
} from '../admission/request.ts'
import { refusalOf } from '../admission/verdict.ts'
import { type Catalogue, isInScope } from '../catalogue.ts'
import type { ModelConfig } from '../config/router.ts'
import { ApiError, asApiError } from '../errors.ts'
import { splice } from '../json/splice.ts'
import type { Meter } from '../metering/meter.ts'
import type { Shelf } from '../publication/shelf.ts'
import type { Relay } from '../relay/relay.ts'
import type { KeyFinder } from '../store/key-finder.ts'
import { type BodyMemory, ClientGone, declaredLength, readBody } from './body.ts'
import type { Exchange, RawHandler } from './handlers.ts'

/** What the inference routes need from the rest of the router. */
export interface InferenceDependencies {
  readonly catalogue: Catalogue
  readonly keys: KeyFinder
  readonly meter: Meter
  readonly relay: Relay
  readonly memory: BodyMemory
  /** The publication in force at admission is what a generation names (§2.3.1). */
  readonly shelf: Shelf
  readonly maxBodyBytes: number
  readonly createGenerationId: () => string
  readonly now: () => Date
  /** Ends what still runs when the router has to stop. */
  readonly signal: AbortSignal
}

/** The one way into every metered route: judged, held, relayed, settled (decisions, 5; M-20). */
export function serveInference(
  operation: ReadableOperation,
  path: string,
  dependencies: InferenceDependencies,
): RawHandler {
  const { keys, memory, maxBodyBytes } = dependencies
  return async (exchange) => {
    const { incoming } = exchange
    const keyHash = parseAuthorization(incoming.headers.authorization)
    const length = declaredLength(incoming)
    if (length === undefined || length > limits.keyFirstBodyBytes) await requireKey(keys, keyHash)
    const lease = await memory.reserve(Math.min(length ?? maxBodyBytes, maxBodyBytes))
    try {
      const body = await readBody(incoming, maxBodyBytes)
      lease.keep(body.length)
      await accept(operation, path, body, keyHash, exchange, dependencies)
    } catch (thrown) {
      // Nothing was accepted and nobody is there to be told.
      if (!(thrown instanceof ClientGone)) throw thrown
    } finally {
      lease.release()
    }
  }
}

async function accept(
  operation: ReadableOperation,
  path: string,
  body: Buffer,
  keyHash: string,
  { response, headers, startedAtMs }: Exchange,
  { catalogue, keys, meter, relay, createGenerationId, now, signal, shelf }: InferenceDependencies,
): Promise<void> {
  const { model, request } = await judge(operation, body, keyHash, catalogue, keys)
  const promptBound = boundPrompt({ bytes: body.length, hasOtherParts: request.prompt.hasOtherParts }, model)
  const cap = capOutput(request.outputCap, promptBound, model)
  const generation = await meter.accept({
    keyHash,
    generationId: createGenerationId(),
    operation,
    streamed: request.streamed,
    model: model.id,
    endpoint: model.endpoint.name,
    evidenceDigest: shelf.find(model.endpoint.name)?.digest ?? null,
    pricing: model.pricing,
    holdMicros: holdMicros(promptBound, cap.tokens, model.pricing),
    countedPromptTokens: request.countedPromptTokens,
    startedAtMs,
    createdAt: now(),
  })
  const task = {
    generation,
    path,
    body: withOutputCap(request, cap.sent),
    includeUsage: request.includeUsage,
    response,
    headers: { ...headers, 'X-Router-Generation-Id': generation.id },
    signal,
  }
  try {
    await (request.streamed ? relay.stream(task) : relay.answer(task))
  } catch (thrown) {
    throw withGenerationId(thrown, generation.id)
  }
}

/**
 * Reads a request in the order of the contract. What is wrong with the key, or with its scope, comes before what is
 * wrong with the body's fields, so a refusal of those waits for the key's look-up; a request without a mistake needs
 * none, for admission judges its key.
 */
async function judge(
  operation: ReadableOperation,
  body: Buffer,
  keyHash: string,
  catalogue: Catalogue,
  keys: KeyFinder,
): Promise<{ model: ModelConfig; request: InferenceRequest }> {
  let named: NamedModel | undefined
  try {
    named = parseModel(operation, body, catalogue)
    return { model: named.model, request: parseRequest(operation, named) }
  } catch (refusal) {
    const { modelScope } = await requireKey(keys, keyHash)
    if (named && !isInScope(modelScope, named.model.id)) throw refusalOf('model_not_in_key_scope')
    throw refusal
  }
}

function withOutputCap({ body }: InferenceRequest, cap: number | undefined): Buffer {
  return cap === undefined ? body.bytes : splice(body.bytes, body.span, { max_tokens: String(cap) })
}

/** Every response of an accepted request names its generation, errors too (decisions, 5). */
function withGenerationId(thrown: unknown, id: string): ApiError {
  const { code, message, param, headers, cause } = asApiError(thrown)
  return new ApiError(code as 'internal', message, {
    param,
    headers: { ...headers, 'X-Router-Generation-Id': id },
    cause,
  })
}
