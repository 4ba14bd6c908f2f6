import type { ServerResponse } from 'node:http'
import type { ErrorCode } from '#contract/errors'
import type { Log } from '../log.ts'
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
}

/** The requests that are being answered, and one line of log for each that is over. */
export interface Requests {
  /** Follows a request until its response is closed, however that comes about. */
  follow(trace: Trace, response: ServerResponse): void
  readonly active: number
  /** From now on every answer is the last one of its connection, and says so unless its head is out already. */
  endConnections(): void
}

/** What following requests needs from the world. */
export interface RequestsOptions {
  readonly log: Log
  readonly requestEnded: (request: EndedRequest) => void
}

/** Creates the one place where every request ends. */
export function createRequests({ log, requestEnded }: RequestsOptions): Requests {
  const responses = new Set<ServerResponse>()
  let isEnding = false

  function end(trace: Trace, response: ServerResponse): void {
    responses.delete(response)
    const { requestId, generationId, workspaceId, keyId, method, route, code } = trace
    const durationMs = performance.now() - trace.startedAtMs
    const status = response.headersSent ? response.statusCode : undefined
    requestEnded({ method, route, status, code, durationMs })
    // The caller left, or was left, before it had the whole answer.
    const isCut = response.writableFinished ? undefined : true
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
      responses.add(response)
      if (isEnding) response.shouldKeepAlive = false
      response.once('close', () => end(trace, response))
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
