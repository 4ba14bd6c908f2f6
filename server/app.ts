import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { dropStalled } from '#base/stalled.ts'
import { routes } from '#contract/routes'
import { createCaller } from './admission/caller.ts'
import { parseAuthorization } from './admission/key.ts'
import type { FindKey } from './admission/key-finder.ts'
import { ApiError } from './errors.ts'
import type { Help } from './help.ts'
import type { Log } from './log.ts'
import type { Requests, Trace } from './operations/requests.ts'
import { requestIdFor } from './request-id.ts'
import { corsHeaders, preflightHeaders } from './routes/cors.ts'
import type { Handlers, JsonHandler, PublicHandler, RawHandler } from './routes/handlers.ts'
import { hintFor } from './routes/hint.ts'
import { refusalFor } from './routes/refuse.ts'
import type { Tracer } from './tracing/tracer.ts'

/** What Hono hands from the listener to a route. */
export interface RouterEnvironment {
  readonly Bindings: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse }
  readonly Variables: { trace: Trace }
}

export type RouterContext = Context<RouterEnvironment>

/** What the HTTP side needs from the rest of the router. */
export interface AppDependencies {
  readonly handlers: Handlers
  readonly findKey: FindKey
  readonly corsOrigins: () => readonly string[]
  readonly requests: Requests
  readonly log: Log
  readonly help: Help
  /** How long a client may take nothing of an answer. */
  readonly stalledMs: () => number
  /** Makes traces; without it there are none. */
  readonly tracer?: Pick<Tracer, 'begin'> | undefined
  /** Answers what is asked for below `/console`; without it nothing is there (CONS-56). */
  readonly console?: Hono<RouterEnvironment> | undefined
}

/** The router's HTTP application: every operation of the contract under `/v1`, errors in one shape. */
export function createApp(dependencies: AppDependencies): Hono<RouterEnvironment> {
  const { handlers, findKey, corsOrigins, requests, log, help, stalledMs, tracer, console } = dependencies
  const app = new Hono<RouterEnvironment>()

  app.use(async (c, next) => {
    await next()
    // What has begun already is a generation, whose reader the relay times, or a file of the console, which is timed below.
    if (!c.env.outgoing.headersSent) dropStalled(c.env.outgoing, stalledMs())
  })

  app.use(async (c, next) => {
    const requestId = requestIdFor(c.req.header('x-request-id'))
    const trace: Trace = { requestId, method: c.req.method, startedAtMs: performance.now() }
    c.set('trace', trace)
    requests.follow(trace, c.env.outgoing)
    // The console is for pages of its own origin: others are told nothing, and are asked nothing beforehand.
    if (console && /^\/console(\/|$)/.test(c.req.path)) {
      c.env.outgoing.setHeader('X-Request-Id', requestId)
      dropStalled(c.env.outgoing, stalledMs())
      return next()
    }
    const asked = {
      origin: c.req.header('origin'),
      requestedHeaders: c.req.header('access-control-request-headers'),
    }
    // Whatever is answered, a success or an error, carries what stands on the response before it begins.
    c.env.outgoing.setHeaders(new Map(Object.entries(corsHeaders(asked, corsOrigins()))))
    c.env.outgoing.setHeader('X-Request-Id', requestId)
    if (c.req.method === 'OPTIONS') return c.body(null, 204, preflightHeaders)
    return next()
  })

  for (const [operation, route] of Object.entries(routes)) {
    if (route.server !== 'router') continue
    const handler = handlers[operation as keyof Handlers]
    const path = `/v1${route.path}`
    const answer = route.raw
      ? onResponse(handler as RawHandler)
      : route.key
        ? inJson(handler as AnyJsonHandler)
        : publicly(handler as AnyPublicHandler)
    app.on(route.method.toUpperCase(), honoPath(path), (c: RouterContext) => {
      const trace = c.get('trace')
      trace.route = path
      if (tracer) trace.spans = tracer.begin(c.req.header('traceparent'))
      return answer(c)
    })
  }

  if (console) app.route('/', console)

  app.notFound((c) => refuse(c, new ApiError('not_found', hintFor(c.req.path))))
  app.onError((thrown, c) => refuse(c, thrown))
  return app

  type AnyJsonHandler = JsonHandler<'getModel'>
  type AnyPublicHandler = PublicHandler<'getInvitation'>

  function inJson(handler: AnyJsonHandler) {
    return async (c: RouterContext) => {
      const keyHash = parseAuthorization(c.req.header('authorization'))
      const key = await createCaller(findKey, keyHash, c.get('trace')).require()
      const reply = await handler({ key, path: c.req.param(), query: c.req.query() })
      return c.json(reply.body, reply.status, reply.headers)
    }
  }

  function publicly(handler: AnyPublicHandler) {
    return async (c: RouterContext) => {
      const reply = await handler({ incoming: c.env.incoming, path: c.req.param() })
      return c.json(reply.body, reply.status, reply.headers)
    }
  }

  function onResponse(handler: RawHandler) {
    return async (c: RouterContext) => {
      const { incoming, outgoing: response } = c.env
      const request = {
        incoming,
        response,
        headers: {},
        path: c.req.param(),
        startedAtMs: c.get('trace').startedAtMs,
        trace: c.get('trace'),
      }
      try {
        await handler(request)
      } catch (thrown) {
        if (!response.headersSent) response.setHeaders(new Map(Object.entries(request.headers)))
        throw thrown
      }
      return RESPONSE_ALREADY_SENT
    }
  }

  function refuse(c: RouterContext, thrown: unknown): Response {
    const refusal = refusalFor(thrown, c.get('trace'), log)
    return c.json(refusal.toBody(), refusal.status as 500, { ...refusal.headers, ...help(refusal) })
  }
}

/** `{id}` may hold slashes, raw or percent-encoded (MODL-19), and anything else: a line end is no other path. */
function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1{[^]+}')
}
