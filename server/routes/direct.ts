import type { IncomingMessage, ServerResponse } from 'node:http'
import { dropStalled } from '#base/stalled.ts'
import { routes } from '#contract/routes'
import type { Help } from '../help.ts'
import type { Log } from '../log.ts'
import type { Requests, Trace } from '../operations/requests.ts'
import { requestIdFor } from '../request-id.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { corsHeaders } from './cors.ts'
import type { Handlers, RawHandler, RawRequest } from './handlers.ts'
import { refusalFor } from './refuse.ts'

/** What the direct way needs from the rest of the router. */
export interface DirectOptions {
  readonly handlers: Pick<Handlers, 'createChatCompletion' | 'createCompletion' | 'createEmbedding'>
  readonly corsOrigins: () => readonly string[]
  readonly requests: Pick<Requests, 'follow'>
  readonly log: Pick<Log, 'error'>
  readonly help: Help
  /** How long a client may take nothing of a refusal. */
  readonly stalledMs: () => number
  /** Makes traces; without it there are none. */
  readonly tracer?: Pick<Tracer, 'begin'> | undefined
}

/** Answers a request for inference; false where it is none, or where that cannot be told at a glance. */
export type Direct = (request: IncomingMessage, response: ServerResponse) => boolean

/** A host that the application takes without looking at the rest of the address. */
const PLAIN_HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/

/**
 * The way of inference past the application, which makes a request, a context and a response of its own for each. It
 * takes what is asked for by the exact path; what is spelt otherwise goes through the application, to the same handlers.
 */
export function createDirect(options: DirectOptions): Direct {
  const { handlers, corsOrigins, requests, log, help, stalledMs, tracer } = options
  const wayAt = new Map<string | undefined, { readonly route: string; readonly handler: RawHandler }>()
  for (const operation of ['createChatCompletion', 'createCompletion', 'createEmbedding'] as const) {
    const route = `/v1${routes[operation].path}`
    wayAt.set(route, { route, handler: handlers[operation] })
  }

  async function answer(handler: RawHandler, request: RawRequest, trace: Trace): Promise<void> {
    const { response, headers } = request
    try {
      await handler(request)
    } catch (thrown) {
      const refusal = refusalFor(thrown, trace, log)
      // A second answer in the midst of one could be taken for a part of it.
      if (response.headersSent) return void response.destroy()
      const body = JSON.stringify(refusal.toBody())
      const fixed = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
      const more = { ...refusal.headers, ...help(refusal) }
      response.writeHead(refusal.status, { ...headers, ...fixed, ...more }).end(body)
      if (!response.writableFinished) dropStalled(response, stalledMs())
    }
  }

  return (incoming, response) => {
    const { method } = incoming
    const way = wayAt.get(incoming.url)
    const { host, origin, 'x-request-id': offered } = incoming.headers
    if (way === undefined || method !== 'POST' || !PLAIN_HOST.test(host ?? '')) return false
    const requestId = requestIdFor(offered as string | undefined)
    // Its own text of the path, which is the same for all.
    const trace: Trace = { requestId, method, route: way.route, startedAtMs: performance.now() }
    requests.follow(trace, response)
    if (tracer) trace.spans = tracer.begin(incoming.headers.traceparent as string | undefined)
    const asked = { origin, requestedHeaders: incoming.headers['access-control-request-headers'] }
    const headers = { ...corsHeaders(asked, corsOrigins()), 'X-Request-Id': requestId }
    const { startedAtMs } = trace
    const request = { incoming, response, headers, path: {}, startedAtMs, trace }
    answer(way.handler, request, trace).catch((error) => {
      log.error('an answer could not be written', { requestId, error })
      response.destroy()
    })
    return true
  }
}
