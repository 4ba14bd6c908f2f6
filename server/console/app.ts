import type { IncomingMessage } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import type { ConsoleOperationId } from '#contract/console/routes'
import { limits } from '#contract/limits'
import type { Validator } from '#contract/validator'
import type { RouterContext, RouterEnvironment } from '../app.ts'
import { ClientGone } from '../bodies/body.ts'
import type { BodyMemory } from '../bodies/body-memory.ts'
import { ApiError, asApiError } from '../errors.ts'
import type { Help } from '../help.ts'
import type { Budget } from '../limits/budget.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { Log } from '../log.ts'
import type { Sql } from '../store/connection.ts'
import { HEARING } from '../store/database-clock.ts'
import { inTime } from '../store/in-time.ts'
import { isOutage } from '../store/outage.ts'
import { within } from '../store/retry.ts'
import { bodies } from './bodies.ts'
import { readCookie, writeCookie } from './cookies.ts'
import type { Digests } from './digests.ts'
import type {
  Change,
  ConsoleHandler,
  ConsoleHandlers,
  ConsoleRequest,
  Person,
  RawConsoleHandler,
} from './handlers.ts'
import { isForeignPage, isOwnOrigin } from './origin.ts'
import { readJsonBody, readQuery } from './request-parts.ts'
import { API, findRoute, type Routed } from './routing.ts'

/** What the console's HTTP side needs from the rest of the router. */
export interface ConsoleAppDependencies {
  readonly handlers: ConsoleHandlers
  readonly sql: Sql
  /** Of all calls of an account (LIM-43). */
  readonly calls: Budget
  /** The person behind a session's token, and whether the session's end has moved; undefined when it is over. */
  readonly findPerson: (token: string) => Promise<{ person: Person; hasRolled: boolean } | undefined>
  readonly digests: Pick<Digests, 'parseToken'>
  /** The origin that the console is reached at. */
  readonly publicUrl: string
  readonly memory: () => Pick<BodyMemory, 'open'>
  readonly sourceAddressOf: SourceAddressOf
  readonly log: Log
  readonly help: Help
  /** Answers everything below `/console` that is not the API's. */
  readonly page: Hono<RouterEnvironment>
}

/** Nothing of an answer may be kept, guessed at or shown inside another page (CONS-54). */
const guards = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const

/** What waits for somebody else than the database: a bundle is fetched, and compared. */
const patience: Partial<Record<ConsoleOperationId, number>> = { diffUpstream: 2 * limits.bundleFetchMs }

type AnyRequest = ConsoleRequest<'createKey'>
type AnyHandler = (
  request: Omit<AnyRequest, 'person' | 'body' | 'path' | 'query' | 'change'>,
) => ReturnType<AnyJsonHandler>
type AnyJsonHandler = ConsoleHandler<'signIn'>

/**
 * The console's application: every operation of its contract under `/console/api`. A call that changes state and does
 * not come from the console's own pages is refused before anything of it is read (CONS-22).
 */
export function createConsoleApp(dependencies: ConsoleAppDependencies): Hono<RouterEnvironment> {
  const { handlers, sql, findPerson, calls, digests, publicUrl, memory, sourceAddressOf, log, help, page } =
    dependencies
  const isHttps = publicUrl.startsWith('https:')
  const app = new Hono<RouterEnvironment>()

  app.all(`${API}/*`, async (c) => {
    const [path = '', search = ''] = (c.env.incoming.url ?? '').split(/\?(.*)/s)
    const routed = findRoute(c.req.method, path)
    if (!routed) throw new ApiError('not_found', 'The console has no such call.')
    const handler = handlers[routed.operation]
    c.get('trace').route = `${API}${routed.route.path}`
    return await serve(c, routed, handler as unknown as AnyHandler, search)
  })
  app.onError((thrown, c) => refuse(c, thrown))
  app.route('/', page)
  return app

  async function serve(
    c: RouterContext,
    { operation, route, path }: Routed,
    handler: AnyHandler,
    search: string,
  ) {
    const { incoming, outgoing: response } = c.env
    const isChange = route.method !== 'get' && route.method !== 'head'
    if (isChange && !isOwnOrigin(incoming, publicUrl)) {
      throw new ApiError('forbidden_origin', 'Calls that change something come from the console’s own pages.')
    }
    if (route.session && isForeignPage(incoming)) {
      throw new ApiError(
        'forbidden_origin',
        'Calls of somebody who is signed in come from the console’s own pages.',
      )
    }
    const headers = new Headers(guards)
    const person = route.session ? await identify(c, incoming, headers) : undefined
    if (person) calls.take(person.accountId)
    if (route.administrator && !person?.isAdministrator) {
      throw new ApiError('not_administrator', 'This is for administrators, whom the configuration names.')
    }
    const query = readQuery(search, route.query)
    const validate: Validator | undefined = bodies[operation as keyof typeof bodies]
    const lease = () =>
      memory().open({ pool: 'small', address: sourceAddressOf(incoming), workspaceId: person?.workspaceId })
    const body = validate && (await readJsonBody(incoming, validate, lease()))
    const patienceMs = patience[operation] ?? limits.databaseOutageMs
    const untilMs = performance.now() + patienceMs
    const change: Change | undefined = isChange ? (work) => inTime(sql, untilMs, work) : undefined
    const request = { person, path, query, body, change, incoming }
    if (route.raw) {
      const raw = handler as unknown as RawConsoleHandler<'followRequests'>
      await raw({ ...request, response, headers: Object.fromEntries(headers) } as never)
      return RESPONSE_ALREADY_SENT
    }
    const reply = await within(handler(request), patienceMs * HEARING)
    for (const [name, value] of Object.entries(reply.headers ?? {})) {
      for (const one of [value].flat()) headers.append(name, String(one))
    }
    if (reply.body !== undefined) headers.set('Content-Type', 'application/json')
    return new Response(reply.body === undefined ? null : JSON.stringify(reply.body), {
      status: reply.status,
      headers,
    })
  }

  async function identify(c: RouterContext, incoming: IncomingMessage, headers: Headers): Promise<Person> {
    const token = readCookie(incoming, 'session', isHttps, digests)
    const found = token && (await within(findPerson(token), limits.databaseOutageMs))
    if (!found) throw new ApiError('session_required', 'Nobody is signed in, or the session is over.')
    c.get('trace').workspaceId = found.person.workspaceId
    if (found.hasRolled) headers.append('Set-Cookie', writeCookie('session', token, isHttps))
    return found.person
  }

  function refuse(c: RouterContext, thrown: unknown): Response {
    const refusal = refusalOf(thrown)
    const trace = c.get('trace')
    trace.code = refusal.code
    if (refusal.code === 'internal' || refusal.code === 'overloaded') {
      const { requestId, workspaceId } = trace
      log.error('a call of the console failed', { requestId, workspaceId, error: refusal.cause ?? refusal })
    }
    return c.json(refusal.toBody(), refusal.status as 500, {
      ...guards,
      ...refusal.headers,
      ...help(refusal),
    })
  }
}

function refusalOf(thrown: unknown): ApiError {
  // Nobody is there any more to read it.
  if (thrown instanceof ClientGone)
    return new ApiError('invalid_json', 'The request did not come to its end.')
  if (!isOutage(thrown)) return asApiError(thrown)
  const headers = { 'Retry-After': '1', 'x-should-retry': 'true' }
  return new ApiError('overloaded', 'The database is away. Try again shortly.', { headers, cause: thrown })
}
