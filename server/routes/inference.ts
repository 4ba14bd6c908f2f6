import { limits } from '#contract/limits'
import { createBodyCheck, flawError } from '../admission/body-fields.ts'
import { type Caller, createCaller } from '../admission/caller.ts'
import type { Reservation } from '../admission/gate.ts'
import { parseAuthorization } from '../admission/key.ts'
import type { FindKey } from '../admission/key-finder.ts'
import { countPrompt, refuseLongPrompt } from '../admission/prompt-length.ts'
import { type BodyReading, type JudgedModels, readFor, requestAt } from '../admission/reading.ts'
import { ClientGone, declaredLength, joined, readPieces } from '../bodies/body.ts'
import type { BodyLease, Pool } from '../bodies/body-memory.ts'
import { isExternal, type ServedModel } from '../config/router.ts'
import { ApiError } from '../errors.ts'
import type { ObjectCheck } from '../json/check.ts'
import { rateLimitHeaders } from '../limits/refusal.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { Meter } from '../meter.ts'
import { spanAttributes } from '../names.ts'
import { type Operation, operations } from '../operation.ts'
import type { Overload, Place } from '../overload/overload.ts'
import type { Shelf } from '../publication/shelf.ts'
import type { Reader } from '../reading/reader.ts'
import type { SpotReading, SpotTime } from '../reading/spot-time.ts'
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
  /** Bounds what is in hand. */
  readonly overload: Pick<Overload, 'enter'>
  /** Reads large bodies. */
  readonly reader: Pick<Reader, 'read'>
  /** What the others may take of the thread. */
  readonly spotTime: Pick<SpotTime, 'begin'>
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
  const { findKey, meter, overload, sourceAddressOf } = dependencies
  return async (raw) => {
    const { incoming, trace } = raw
    const keyHash = parseAuthorization(incoming.headers.authorization)
    const address = sourceAddressOf(incoming)
    const owner = meter.ownerOf(keyHash)
    const caller = createCaller(findKey, keyHash, trace)
    if (owner) caller.identify(owner)
    const place = overload.enter(address, owner?.workspaceId, owner?.cell)
    try {
      await serve(operation, raw, { caller, address, workspaceId: owner?.workspaceId, place }, dependencies)
    } catch (thrown) {
      if (!(thrown instanceof ClientGone)) {
        // Whoever goes on with it touches nothing of its workspace any more.
        if (isOfNoUse(thrown)) meter.forget(keyHash)
        throw thrown
      }
      // Else it is remembered for as long as no request with it comes to its end (REQ-76). Nobody waits for that.
      if (owner) caller.require().catch((refusal) => isOfNoUse(refusal) && meter.forget(keyHash))
    } finally {
      place.leave()
    }
  }
}

/** Of a key that may not be used, now or ever again. */
const OF_NO_USE: ReadonlySet<string> = new Set(['invalid_api_key', 'api_key_revoked', 'api_key_expired'])

function isOfNoUse(thrown: unknown): boolean {
  return thrown instanceof ApiError && OF_NO_USE.has(thrown.code)
}

/** Who asks, and the place that was found for them. */
interface Visitor {
  readonly caller: Caller
  readonly address: string
  /** Undefined where it is not known yet whose their key is. */
  readonly workspaceId: string | undefined
  readonly place: Place
}

async function serve(
  operation: Operation,
  raw: RawRequest,
  { caller, address, workspaceId: remembered, place }: Visitor,
  dependencies: InferenceDependencies,
): Promise<void> {
  const { editions, meter } = dependencies
  const { incoming } = raw
  const { memory, config, hasFreeModels } = editions.current
  if (isEncoded(incoming)) {
    await caller.require()
    throw new ApiError('unsupported_media_type', ENCODED)
  }
  const length = declaredLength(incoming)
  const pool = length === undefined || length > limits.keyFirstBodyBytes ? 'large' : 'small'
  const reserved =
    pool === 'large' ? await place.asking(() => meter.reserve(caller, hasFreeModels)) : undefined
  const known = reserved ?? (memory.isCrowded(address) ? await caller.require() : undefined)
  const workspaceId = known?.rates.workspaceId
  const lease = memory.open({ pool, address, workspaceId })
  const reading = {
    maxBytes: config.limits.maxBodyBytes,
    lease,
    pool,
    owner: workspaceId ?? remembered ?? address,
    payer: workspaceId ?? remembered ?? STRANGERS,
  } as const
  const visit = editions.visit()
  try {
    const task = await accept(operation, { caller, reserved, place }, raw, dependencies, reading, visit)
    const { relay } = visit.enter()
    await (task.generation.streamed ? relay.stream(task) : relay.answer(task))
  } finally {
    visit.leave()
    lease.release()
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
  readonly place: Place
}

/** How a body may be read. */
interface Reading {
  readonly maxBytes: number
  readonly lease: BodyLease
  readonly pool: Pool
  /** Behind whose bodies one waits that is read aside. */
  readonly owner: string
  /** Who pays for one that is read on the spot. */
  readonly payer: string
}

/** Those pay together whose workspace is not known: addresses cost nothing (REQ-76). */
const STRANGERS = 'strangers'

/** What was read and parsed stays in here: an answer may run for an hour, and only the task lives as long. */
async function accept(
  operation: Operation,
  { caller, reserved, place }: Asking,
  raw: RawRequest,
  dependencies: InferenceDependencies,
  reading: Reading,
  visit: Visit,
): Promise<RelayTask> {
  const { incoming, response, headers, startedAtMs, trace } = raw
  const { meter, createGenerationId, now, signal } = dependencies
  // A client of HTTP/1.0 knows no 100, and would take it for its answer (RFC 9110, 10.1.1).
  if (incoming.headers.expect !== undefined && incoming.httpVersion !== '1.0') response.writeContinue()
  const { model, body, edition } = await judge(
    operation,
    raw,
    dependencies,
    reading,
    { caller, place },
    visit,
  )
  const request = requestAt(body, model)
  const { catalogue, tokenizers } = edition
  const authorize = () => caller.require(model)
  const read = { operation, model, request, requestId: trace.requestId }
  const asking = refuseLongPrompt(read, tokenizers, authorize)
  const told = asking && (await asking)
  const { spans } = trace
  const placing =
    spans && isExternal(model)
      ? spans.step('router.attestation', async () => placeRequest(model, dependencies, authorize), {
          [spanAttributes.upstream]: model.upstream.name,
        })
      : placeRequest(model, dependencies, authorize)
  const { endpoint, evidenceDigest, passage } = placing instanceof Promise ? await placing : placing
  const own = sizeFor(model, request)
  const others = sizeFallbacks(operation, model, catalogue.byId, (other) => requestAt(body, other))
  const asked = {
    id: createGenerationId(),
    requestId: trace.requestId,
    operation,
    streamed: request.streamed,
    model: model.id,
    endpoint,
    evidenceDigest,
    pricing: model.pricing,
    startedAtMs,
    createdAt: now(),
    ...own.tokens,
  }
  // Whichever serves, it costs no more than is held.
  const holdMicros = Math.max(...[own, ...others].map((sized) => sized.holdMicros))
  const admit = () =>
    meter.accept({ caller, generation: asked, holdMicros, settling: place.settling }, reserved)
  const generation = await (spans
    ? spans.step('router.admission', () => place.judging(admit))
    : place.judging(admit))
  trace.generationId = generation.id
  // Every answer to an accepted request names its generation and the tighter request bucket, errors too.
  headers['X-Router-Generation-Id'] = generation.id
  Object.assign(headers, rateLimitHeaders(generation.rateLimit))
  const promptCount = countPrompt(read, tokenizers, told)
  return {
    generation,
    path: operations[operation].route.path,
    body: keepBody(request.body, reading.lease.release),
    includeUsage: request.includeUsage,
    response,
    headers,
    signal,
    fallbacks: others.map((other) => preparing(other, dependencies, caller.require)),
    // Last: a member behind what is spread takes V8 a thousand instructions.
    ...additionsOf(own.cap),
    ...(promptCount && { promptCount }),
    ...(passage && { passage }),
    ...(spans && { spans }),
  }
}

/**
 * Reads a request in the order of the contract. What is wrong with the key, or with its scope, comes before what is
 * wrong with the body's fields, so a refusal of those waits for the key's look-up; a request without a mistake needs
 * none, for admission judges its key.
 */
async function judge(
  operation: Operation,
  { incoming }: RawRequest,
  { reader, spotTime }: Pick<InferenceDependencies, 'reader' | 'spotTime'>,
  reading: Reading,
  { caller, place }: Omit<Asking, 'reserved'>,
  visit: Visit,
): Promise<{ model: ServedModel; body: BodyReading; edition: Edition }> {
  let model: ServedModel | undefined
  try {
    const { maxBytes, lease } = reading
    const { inspect, read } = looksAt(operation, incoming, reading, spotTime)
    const pieces = await readPieces(incoming, { maxBytes, lease, inspect })
    const edition = visit.enter()
    const { byId: models } = edition.catalogue
    const gone = () => (incoming.socket.destroyed ? new ClientGone() : undefined)
    const body =
      read(pieces, models) ?? (await reader.read({ operation, pieces, models, owner: reading.owner, gone }))
    if (body.refusal) throw body.refusal
    model = edition.catalogue.require(body.name, 'model')
    requestAt(body, model)
    return { model, body, edition }
  } catch (refusal) {
    if (refusal instanceof ClientGone) throw refusal
    await place.asking(() => caller.require(model))
    throw refusal
  }
}

/** How a body is looked at. */
interface Looks {
  /** At each piece as it comes; the error that it gives ends the reading. */
  readonly inspect: (piece: Buffer) => ApiError | undefined
  /** At all of it, at once; undefined where that has to be done aside. */
  readonly read: (pieces: readonly Buffer[], models: JudgedModels) => BodyReading | undefined
}

/**
 * A small body is read at once, unless who pays for it has no time left for that, and is looked at as it comes; of a large
 * one not even the beginning: where 200 begin at once, that alone lets everybody wait for a tenth of a second.
 */
function looksAt(
  operation: Operation,
  incoming: RawRequest['incoming'],
  { pool, payer }: Reading,
  spotTime: Pick<SpotTime, 'begin'>,
): Looks {
  let spot: SpotReading | undefined
  let check: ObjectCheck | undefined
  if (pool === 'small') {
    spot = spotTime.begin(payer, declaredLength(incoming)!)
    check = createBodyCheck()
  }
  return {
    inspect(piece) {
      // Hundreds may begin while there is time left, and all come then.
      if (spot?.isLeft === false) check = undefined
      const checking = check
      return checking && spot!.run(() => checking.push(piece)) === false
        ? flawError(checking.flaw!)
        : undefined
    },
    read(pieces, models) {
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
      if (length > limits.keyFirstBodyBytes) return undefined
      const reading = spot ?? spotTime.begin(payer, length)
      return reading.isLeft ? reading.run(() => readFor(operation, joined(pieces), models, check)) : undefined
    },
  }
}
