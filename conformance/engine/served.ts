import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '#base/object.ts'
import type { Vector } from '#contract/models'
import type { Answer } from '../stand-ins/gateway/gateway.ts'
import { type Publication, startPublication } from '../stand-ins/gateway/publication.ts'
import { bytesOf } from '../vectors/corpus.ts'
import { bundleOf } from '../vectors/generator/bundle.ts'
import { type Moment, momentOf } from '../vectors/served/moment.ts'
import { servable, vectorAt } from '../vectors/served/served.ts'
import type { Context } from './context.ts'
import type { Exchange } from './http/exchange.ts'
import { parseJson } from './http/json.ts'
import type { Target } from './target.ts'

/** A vector that stands served to the proxy under test, as an endpoint of its own. */
export interface Served {
  readonly gateway: Publication
  /** Where the proxy takes requests for it, with `/v1`. */
  readonly baseUrl: string
  /** The status of what was answered while a newer bundle was published, for a vector that is one played back. */
  readonly before: number | undefined
}

/** What is over, or has not begun, is so by an hour: a proxy's clock need not be ours to the second (ours). */
const MARGIN_MS = 3_600_000

/** How long a proxy may take until it has judged evidence: as long as a request waits for a first verdict (PRXY-08). */
const VERDICT_MS = 15_000

const POLL_MS = 100

/** How many vectors are signed in one turn (ours). */
const AT_ONCE = 8

/** For an endpoint that the hook gave no base URL for. */
const NOWHERE = 'http://no-base-url.invalid/v1'

const sessions = new WeakMap<Target, Promise<ReadonlyMap<string, Served>>>()

/**
 * Has every vector that a gateway can serve stand published under a root that the proxy is told to trust, and the proxy
 * started in front of all of them: once for a run. Gives the one that is asked for.
 */
export async function served(context: Context, { id }: Vector): Promise<Served> {
  const { target } = context
  const session = sessions.get(target) ?? serveAll(context)
  sessions.set(target, session)
  return (await session).get(id)!
}

/** Asks until the proxy has judged the evidence; whatever it says then is given. */
export async function judgement(context: Context, { baseUrl }: Pick<Served, 'baseUrl'>): Promise<Exchange> {
  const until = Date.now() + context.patience(VERDICT_MS)
  for (;;) {
    const exchange = await context.request('listModels', { baseUrl, key: KEY })
    if (!isPending(exchange) || Date.now() > until) return exchange
    await sleep(POLL_MS)
  }
}

/** Nobody's: no request gets to where keys are looked up. */
const KEY = `sk-tee-v1-${'s'.repeat(43)}`

/** Whether there is no verdict yet, or the machine was too busy for one: nothing that a vector is refused for. */
function isPending({ status, body }: Pick<Exchange, 'status' | 'body'>): boolean {
  if (status !== 503) return false
  const { stage, reason } = read(body)
  return stage === 'attesting' || UNFINISHED.includes(`${stage}/${reason}`)
}

const UNFINISHED = ['fetch/unreachable', 'fetch/timeout', 'fetch/tls_failed']

function read(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value = parseJson(body.toString())
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

interface Stand {
  readonly vector: Vector
  readonly gateway: Publication
}

async function serveAll(context: Context): Promise<ReadonlyMap<string, Served>> {
  const moment = momentOf(new Date().toISOString().replace(/\.\d+Z$/, 'Z'), MARGIN_MS)
  const isWanted = ({ needs = [] }: Vector) =>
    !needs.includes('policies') || context.target.features.has('policies')
  const vectors: Vector[] = []
  for (const vector of servable.filter(isWanted)) {
    vectors.push(vectorAt(moment, vector))
    // Signing takes milliseconds, for which nobody else should wait all together.
    if (vectors.length % AT_ONCE === 0) await nextTurn()
  }
  const stands = await Promise.all(
    vectors.map(async (vector) => ({
      vector,
      gateway: await startPublication(leafOf(vector, moment), answerOf(vector)),
    })),
  )
  const start = async (some: readonly Stand[]): Promise<readonly string[]> => {
    const endpoints = some.map(({ vector, gateway }) => endpointOf(vector, gateway, context.nonce))
    return (await context.hooks('startProxy', { endpoints })).base_urls
  }
  const before = await playNewer(context, stands, moment, start)
  const baseUrls = await start(stands)
  return new Map(
    stands.map(({ vector: { id }, gateway }, index) => {
      const baseUrl = baseUrls[index] ?? NOWHERE
      return [id, { gateway, baseUrl, before: before.get(id) }]
    }),
  )
}

/** Has the proxy accept what is newer than the bundles that are played back, before these are published. */
async function playNewer(
  { patience }: Context,
  stands: readonly Stand[],
  moment: Moment,
  start: (some: readonly Stand[]) => Promise<readonly string[]>,
): Promise<ReadonlyMap<string, number>> {
  const replayed = stands.filter(({ vector }) => vector.request.newest_issued_at !== null)
  for (const { vector, gateway } of replayed) {
    const issuedAt = { issuedAt: vector.request.newest_issued_at }
    gateway.answer({ status: 200, body: bundleOf(moment.ask({ payload: issuedAt, envelope: issuedAt })) })
  }
  const baseUrls = await start(replayed)
  const statuses = new Map<string, number>()
  for (const [index, { vector, gateway }] of replayed.entries()) {
    statuses.set(vector.id, await statusAt(baseUrls[index] ?? NOWHERE, patience(VERDICT_MS)))
    gateway.answer(answerOf(vector))
  }
  return statuses
}

/** What the list of models is answered with once there is a verdict; 0 for nothing at all. It is no scenario's own request. */
async function statusAt(baseUrl: string, patienceMs: number): Promise<number> {
  const signal = AbortSignal.timeout(patienceMs)
  for (;;) {
    try {
      const answer = await fetch(`${baseUrl}/models`, { signal, redirect: 'manual' })
      const { status } = answer
      if (status !== 503) {
        await answer.body?.cancel()
        return status
      }
      const body = Buffer.from(await answer.arrayBuffer())
      if (!isPending({ status, body })) return status
      await sleep(POLL_MS)
    } catch {
      return 0
    }
  }
}

/** The certificate that the vector says was seen. */
function leafOf({ request }: Vector, { leaf, otherLeaf }: Moment): Moment['leaf'] {
  return request.observed_leaf === otherLeaf.fingerprint ? otherLeaf : leaf
}

function answerOf({ request: { bundle, status = 200 } }: Vector): Answer {
  const isRedirect = status >= 300 && status < 400
  return { status, body: bytesOf(bundle), ...(isRedirect && { headers: { location: '/elsewhere' } }) }
}

function endpointOf({ id, request }: Vector, { url }: Publication, nonce: string) {
  return {
    name: `${id.slice(id.indexOf('/') + 1)}-${nonce}`,
    url,
    hostname: request.hostname,
    roots: request.roots.map(({ pem }) => pem),
    pins: [...request.pins],
    policies: [...(request.policies ?? [])],
  }
}
