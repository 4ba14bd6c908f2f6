import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS_CODES } from '#base/http.ts'
import { limits } from '#contract/limits'
import { routes } from '#contract/routes'
import { parseAuthorization } from '../admission/key.ts'
import type { Help } from '../help.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import type { EndedRequest } from '../operations/recorder.ts'
import { type Overload, refusals, type Stage, stages } from '../overload/overload.ts'
import { FamiliarHeads } from '../parsing/familiar-heads.ts'
import type { AnswerAtOnce } from '../parsing/parse-turns.ts'
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
  /** From then on each answer is the last one of its connection, if that may be (OPS-02). */
  readonly isDraining: () => boolean
}

/**
 * Answers a request that is one too many; false where it is none, or where nobody can tell yet. `head` is its head as it
 * came, where all of that is there.
 */
export type TurnAway = (request: IncomingMessage, response: ServerResponse, head?: Buffer) => boolean

/** Both ways of turning away: a request that was parsed, and one that is like such a one that was turned away. */
export interface TurnAways {
  readonly parsed: TurnAway
  readonly familiar: AnswerAtOnce
}

/** What is asked for, and by whose key. */
interface Asked {
  readonly route: string
  readonly keyHash: string
}

/** How often the log tells of requests that were turned away (OPS-20). */
const TOLD_MS = 1_000

const inference = [routes.createChatCompletion, routes.createCompletion, routes.createEmbedding]
const paths: ReadonlySet<string> = new Set(inference.map(({ path }) => `/v1${path}`))

const answers = new Map(
  stages.map((stage) => {
    const { status, headers } = refusals[stage]
    const body = JSON.stringify(refusals[stage].toBody())
    const fixed = { 'Content-Type': 'application/json', 'Content-Length': body.length, ...headers }
    const begin = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${linesOf(fixed)}`
    const kept = { Connection: 'keep-alive', 'Keep-Alive': `timeout=${limits.keepAliveMs / 1_000}` }
    return [stage, { status, body, fixed, begin, end: `${linesOf(kept)}\r\n${body}` }] as const
  }),
)

/**
 * Turns requests for inference away where the router has too many, before anything else is done for them: what refusing
 * costs is taken from those who are served. While there is room it looks at nothing (LIM-45). Most of what it costs is
 * reading them, so that one with a familiar head is not even parsed: whoever floods sends the same over and over.
 */
export function createTurnAway(options: TurnAwayOptions): TurnAways {
  const { overload, ownerOf, sourceAddressOf, corsOrigins, requestEnded, help, isDraining } = options
  const note = createNotes(options.log)
  const familiar = new FamiliarHeads<Asked>()

  function told(route: string, stage: Stage, workspaceId: string | undefined, begunAtMs: number): void {
    const { status } = refusals[stage]
    const durationMs = performance.now() - begunAtMs
    requestEnded({ method: 'POST', route, status, code: 'overloaded', durationMs })
    note(workspaceId)
  }

  return {
    parsed(request, response, head) {
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
      const cors =
        origin === undefined ? undefined : corsHeaders({ origin, requestedHeaders: undefined }, corsOrigins())
      const requestId = requestIdFor(typeof given === 'string' ? given : undefined)
      // A body that came with its head is parsed first: what is left of one after its answer is read on slowly.
      queueMicrotask(() => {
        // Whoever still sends would not see the answer on a connection that closes.
        if (isDraining() && request.complete) response.shouldKeepAlive = false
        const more = { 'X-Request-Id': requestId, ...cors, ...help(refusals[stage]) }
        response.writeHead(status, { ...fixed, ...more }).end(body)
      })
      // One whose key nobody knows has its address judged, which stands in no head.
      const isPlain = owner !== undefined && origin === undefined && given === undefined
      if (isPlain && head !== undefined) familiar.learn(head, response, { route, keyHash })
      told(route, stage, owner?.workspaceId, begunAtMs)
      return true
    },

    familiar(bytes) {
      if (!overload.isTight || isDraining()) return undefined
      const asked = familiar.recognize(bytes)
      if (asked === undefined) return undefined
      const begunAtMs = performance.now()
      const owner = ownerOf(asked.keyHash)
      const stage = owner && overload.refuses('', owner.workspaceId, owner.cell)
      if (stage === undefined) return undefined
      const { begin, end } = answers.get(stage)!
      told(asked.route, stage, owner?.workspaceId, begunAtMs)
      const date = new Date().toUTCString()
      return `${begin}X-Request-Id: ${requestIdFor(undefined)}\r\n${linesOf(help(refusals[stage]))}Date: ${date}\r\n${end}`
    },
  }
}

function linesOf(headers: Readonly<Record<string, string | number>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
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
