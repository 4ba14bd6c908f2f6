import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { visibleJson } from '#base/foreign-text.ts'
import { METRICS_TYPE } from '#base/metrics.ts'
import { Turns } from '#base/turns.ts'
import { guard } from '../listener/guard.ts'
import { type Address, open } from '../listener/open.ts'
import { refuse } from '../refuse.ts'
import { ATTEST_PATH, attestNow, guardCommand } from './attest.ts'
import { renderMetrics } from './metrics.ts'
import { pageHeaders, renderPage } from './page.ts'
import { notReady, type ProxyView, statusOf, warningsOf } from './view.ts'

/** The admin listener. */
export interface Admin {
  readonly url: string
  close(): Promise<void>
}

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** How long a caller may take over its request (ours). */
const REQUEST_MS = 10_000

const GUARD = { origins: [], token: undefined } as const

const answers: Readonly<Record<string, (view: ProxyView) => Answer>> = {
  '/': (view) => ({ headers: pageHeaders, body: renderPage(view) }),
  // Says only that the process turns over: an endpoint that is denied is no reason to restart the proxy.
  '/healthz': () => json({ status: 'ok' }),
  '/readyz': readiness,
  '/status': (view) => json(statusOf(view)),
  '/metrics': (view) => ({ headers: { 'Content-Type': METRICS_TYPE }, body: renderMetrics(view) }),
}

/** Serves health, readiness, metrics and the status page, apart from clients and without content (PRXY-22). */
export async function openAdmin(address: Address, view: ProxyView): Promise<Admin> {
  const turns = new Turns()
  const server = createServer({ requestTimeout: REQUEST_MS, requireHostHeader: false }, (request, response) =>
    turns.take(request, response, () => answer(request, response, view)),
  )
  await open(server, address, 'admin')
  return {
    url: urlOf(address, (server.address() as AddressInfo).port),
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function urlOf({ host }: Address, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function answer(request: IncomingMessage, response: ServerResponse, view: ProxyView): void {
  const [path = '', query = ''] = request.url?.split('?') ?? []
  const isCommand = request.method === 'POST' && path === ATTEST_PATH
  // Pages of other sites could rebind their name to this machine and read along.
  const refusal = guard(request, GUARD) ?? (isCommand ? guardCommand(request) : undefined)
  if (refusal !== undefined) refuse(request, response, refusal, [])
  // It never rejects: checks do not, and one that the proxy's stop ends resolves.
  else if (isCommand) void attest(view, query).then((answered) => reply(response, answered))
  else reply(response, read(request, path, view))
}

function read({ method }: IncomingMessage, path: string, view: ProxyView): Answer {
  const render = Object.hasOwn(answers, path) ? answers[path] : undefined
  const isReading = method === 'GET' || method === 'HEAD'
  return isReading && render !== undefined ? render(view) : unknown()
}

async function attest({ endpoints }: ProxyView, query: string): Promise<Answer> {
  const name = new URLSearchParams(query).get('endpoint')
  const chosen = endpoints.filter((endpoint) => name === null || endpoint.status().name === name)
  if (chosen.length === 0) return json({ status: 'not_found' }, 404)
  const found = await attestNow(chosen)
  return found === undefined ? json({ status: 'stopping' }, 503) : json(found)
}

function reply(response: ServerResponse, { status = 200, headers, body }: Answer): void {
  response.writeHead(status, {
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...headers,
  })
  response.end(body)
}

function readiness(view: ProxyView): Answer {
  // A journal delays no request, and so it makes nobody unready; but whoever asks is told.
  const found = warningsOf(view)
  const warnings = found.length === 0 ? {} : { warnings: found }
  if (!view.isServing()) return json({ status: 'not_ready', reasons: ['draining'], ...warnings }, 503)
  const waiting = notReady(view)
  if (waiting.length === 0) return json({ status: 'ready', ...warnings })
  const endpoints = waiting.map(({ name, verdict: { state, stage, reason } }) => ({
    name,
    state,
    stage,
    reason,
  }))
  return json({ status: 'not_ready', reasons: ['no_verdict'], endpoints, ...warnings }, 503)
}

function unknown(): Answer {
  return json({ status: 'not_found', paths: Object.keys(answers) }, 404)
}

function json(document: object, status = 200): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json' },
    body: `${visibleJson(JSON.stringify(document))}\n`,
  }
}
