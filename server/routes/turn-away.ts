import type { IncomingMessage, ServerResponse } from 'node:http'
import { routes } from '#contract/routes'
import { parseAuthorization } from '../admission/key.ts'
import type { Help } from '../help.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import type { EndedRequest } from '../operations/recorder.ts'
import { type Overload, refusals, stages } from '../overload/overload.ts'
import { requestIdFor } from '../request-id.ts'
import { corsHeaders } from './cors.ts'

/** What turning requests away needs from the world. */
export interface TurnAwayOptions {
  readonly overload: Pick<Overload, 'isTight' | 'refuses'>
  readonly ownerOf: Meter['ownerOf']
  readonly sourceAddressOf: SourceAddressOf
  readonly corsOrigins: () => readonly string[]
  readonly requestEnded: (request: EndedRequest) => void
  readonly log: Pick<Log, 'warn'>
  readonly help: Help
}

/** Answers a request that is one too many; false where it is none, or where nobody can tell yet. */
export type TurnAway = (request: IncomingMessage, response: ServerResponse) => boolean

/** How often the log tells of requests that were turned away (OPS-20). */
const TOLD_MS = 1_000

const inference = [routes.createChatCompletion, routes.createCompletion, routes.createEmbedding]
const paths: ReadonlySet<string> = new Set(inference.map(({ path }) => `/v1${path}`))

const answers = new Map(
  stages.map((stage) => {
    const { status, headers } = refusals[stage]
    const body = JSON.stringify(refusals[stage].toBody())
    const fixed = { 'Content-Type': 'application/json', 'Content-Length': body.length, ...headers }
    return [stage, { status, body, fixed }] as const
  }),
)

/**
 * Turns requests for inference away where the router has too many, before anything else is done for them: what refusing
 * costs is taken from those who are served. While there is room it looks at nothing (LIM-45).
 */
export function createTurnAway(options: TurnAwayOptions): TurnAway {
  const { overload, ownerOf, sourceAddressOf, corsOrigins, requestEnded, help } = options
  const note = createNotes(options.log)
  return (request, response) => {
    if (!overload.isTight) return false
    const route = request.url ?? ''
    if (request.method !== 'POST' || !paths.has(route)) return false
    const begunAtMs = performance.now()
    const keyHash = keyOf(request)
    if (keyHash === undefined) return false
    const owner = ownerOf(keyHash)
    const stage = overload.refuses(sourceAddressOf(request), owner?.workspaceId, owner?.cell)
    if (stage === undefined) return false
    const { status, body, fixed } = answers.get(stage)!
    const { origin, 'x-request-id': given } = request.headers
    const asked = { origin, requestedHeaders: undefined }
    const cors = origin === undefined ? undefined : corsHeaders(asked, corsOrigins())
    const requestId = requestIdFor(typeof given === 'string' ? given : undefined)
    // A body that came with its head is parsed first: what is left of one after its answer is read on slowly.
    queueMicrotask(() => {
      const more = { 'X-Request-Id': requestId, ...cors, ...help(refusals[stage]) }
      response.writeHead(status, { ...fixed, ...more }).end(body)
    })
    const durationMs = performance.now() - begunAtMs
    requestEnded({ method: 'POST', route, status, code: 'overloaded', durationMs })
    note(owner?.workspaceId)
    return true
  }
}

/** A key of the wrong form is told so by whoever reads it next. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  try {
    return parseAuthorization(headers.authorization)
  } catch {
    return undefined
  }
}

/** Counts, and tells what was counted a second after the first. */
function createNotes(log: Pick<Log, 'warn'>): (workspaceId: string | undefined) => void {
  let counts = new Map<string | undefined, number>()

  function tell(): void {
    const all = [...counts]
    const count = all.reduce((sum, [, some]) => sum + some, 0)
    const [workspaceId] = all.reduce((most, one) => (one[1] > most[1] ? one : most))
    log.warn('too many requests', { code: 'overloaded', count, workspaceId })
    counts = new Map()
  }

  return (workspaceId) => {
    if (counts.size === 0) setTimeout(tell, TOLD_MS).unref()
    counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
  }
}
