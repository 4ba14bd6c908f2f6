import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from '#base/http.ts'
import { METRICS_TYPE } from '#base/metrics.ts'
import type { Listen } from '../config/router.ts'
import { listen } from '../listen.ts'
import type { Log } from '../log.ts'
import { expose } from './exposition.ts'
import type { Metric } from './metric.ts'
import type { NotReady } from './readiness.ts'

/** What the operator's listener shows. */
export interface AdminSources {
  readonly notReady: () => Promise<readonly NotReady[]>
  readonly metrics: readonly Metric[]
  /** Version of the configuration in force. */
  readonly configVersion: () => string
  readonly log: Log
}

/** The operator's listener. */
export interface Admin {
  readonly port: number
  close(): Promise<void>
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

/** How long a caller may take over its request (ours). */
const REQUEST_MS = 10_000

/** Serves health, readiness and metrics, apart from the API and without content (OPS-01). */
export async function openAdmin(address: Listen, sources: AdminSources): Promise<Admin> {
  const { notReady, metrics, configVersion, log } = sources
  const answers: Readonly<Record<string, Answer>> = {
    // Says only that this process turns over: a database that is away is no reason to restart a router.
    '/healthz': (_, response) => reply(response, 200, { status: 'ok' }),
    '/readyz': async (_, response) => {
      const reasons = await notReady()
      const config = { config_version: configVersion() }
      if (reasons.length === 0) reply(response, 200, { status: 'ready', ...config })
      else reply(response, 503, { status: 'not_ready', reasons, ...config })
    },
    '/metrics': async (_, response) => {
      const text = await expose(metrics, log)
      response.writeHead(200, { 'Content-Type': METRICS_TYPE }).end(text)
    },
  }
  const server = createServer({ requestTimeout: REQUEST_MS }, async (request, response) => {
    try {
      const answer = answers[request.url?.split('?', 1)[0] ?? '']
      if (answer === undefined) reply(response, 404, { status: 'not_found', paths: Object.keys(answers) })
      else await answer(request, response)
    } catch (error) {
      log.error('the operator’s listener failed to answer', { error })
      reply(response, 500, { status: 'failed' })
    }
  })
  const port = await listen(server, address, 'admin')
  return {
    port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  response.end(`${JSON.stringify(body)}\n`)
}
