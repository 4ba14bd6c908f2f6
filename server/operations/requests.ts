import type { ServerResponse } from 'node:http'
import { type Entry, Roster } from '#base/roster.ts'
import type { ErrorCode } from '#contract/errors'
import type { Log } from '../log.ts'
import { attributes, spanAttributes } from '../names.ts'
import type { RequestTrace } from '../tracing/request-trace.ts'
import type { EndedRequest } from './recorder.ts'

/** What is known of a request while it is answered. It has no field for what its caller wrote, but the request id. */
export interface Trace {
  readonly requestId: string
  readonly method: string
  /** Monotonic milliseconds. */
  readonly startedAtMs: number
  /** The route's template, never the path: that may hold anything. */
  route?: string
  generationId?: string
  /** Of the key it came with, once the database knows that one; revoked and expired ones too. */
  workspaceId?: string
  keyId?: string
  code?: ErrorCode
  /** What it spends its time on; only where the router is configured to trace (OPS-23). */
  spans?: RequestTrace
}

/** The requests that are being answered, and one line of log for each that is over. */
export interface Requests {
  /** Follows a request until its response is closed, however that comes about. */
  follow(trace: Trace, response: ServerResponse): void
  readonly active: number
  /** From now on every answer is the last one of its connection, and says so unless its head is out already. */
  endConnections(): void
}

function endSpans(trace: Trace, spans: RequestTrace, status: number | undefined): void {
  const { method, route, code, generationId, workspaceId, keyId, startedAtMs } = trace
  const told = {
    [attributes.method]: method,
    [attributes.route]: route,
    [attributes.status]: status,
    [attributes.error]: code,
    [spanAttributes.generation]: generationId,
    [spanAttributes.workspace]: workspaceId,
    [spanAttributes.key]: keyId,
  }
  spans.end(`${method} ${route}`, startedAtMs, told, status === undefined || status >= SERVER_ERRORS)
}

/** From this status on it is not the caller's mistake. */
const SERVER_ERRORS = 500

/** What following requests needs from the world. */
export interface RequestsOptions {
  readonly log: Log
  readonly requestEnded: (request: EndedRequest) => void
}

/** Creates the one place where every request ends. */
export function createRequests({ log, requestEnded }: RequestsOptions): Requests {
  const responses = new Roster<ServerResponse>()
  let isEnding = false

  function end(trace: Trace, response: ServerResponse, entry: Entry<ServerResponse>): void {
    responses.remove(entry)
    const { requestId, generationId, workspaceId, keyId, method, route, code } = trace
    const durationMs = performance.now() - trace.startedAtMs
    const status = response.headersSent ? response.statusCode : undefined
    requestEnded({ method, route, status, code, durationMs })
    // The caller left, or was left, before it had the whole answer.
    const isCut = response.writableFinished ? undefined : true
    if (trace.spans !== undefined) endSpans(trace, trace.spans, status)
    const rounded = Math.round(durationMs * 10) / 10
    log.info('request finished', {
      requestId,
      generationId,
      workspaceId,
      keyId,
      method,
      route,
      status,
      code,
      durationMs: rounded,
      isCut,
    })
  }

  return {
    follow(trace, response) {
      const entry = responses.add(response)
      if (isEnding) response.shouldKeepAlive = false
      response.once('close', () => end(trace, response, entry))
    },
    get active() {
      return responses.size
    },
    endConnections() {
      isEnding = true
      for (const response of responses) response.shouldKeepAlive = false
    },
  }
}
