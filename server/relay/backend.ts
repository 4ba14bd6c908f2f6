import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import buildConnector from 'undici/lib/core/connect.js'
import { passingOverInterim } from '#egress/connection/interim.ts'
import { StackedPool } from '#egress/dispatch/stacked-pool.ts'
import { createHealth, type Health } from './health.ts'
import { inOwnMemory } from './own-memory.ts'
import { createTally, type Tally } from './tally.ts'

/** One OpenAI-compatible server that can serve a model. */
export interface BackendConfig {
  /** Base URL with its `/v1`, without a trailing slash. */
  readonly url: string
  /** What it is called where its address names a machine alone: an external upstream. */
  readonly hostname?: string | undefined
  /** The model's name at the backend. */
  readonly model: string
  readonly apiKey?: string | undefined
  /** `continuous`: the backend reports usage on every chunk when asked (RLAY-03). */
  readonly usage: 'final' | 'continuous'
  /** Its share of the requests beside those of the model's other backends; 1 when left out. */
  readonly weight?: number | undefined
  /** Where it counts the tokens of a prompt; see `Tokenizers`. */
  readonly tokenizeUrl?: string | undefined
}

/** Bodies beyond this are worth the cost of a stream (ours). */
const LARGE_BODY_BYTES = 65_536

/** What is sent: a path below the base URL, a JSON body and the kind of answer expected. */
export interface BackendRequest {
  readonly path: string
  readonly body: Buffer
  readonly accept: 'application/json' | 'text/event-stream'
  /** Of the router's own span, where it traces (OPS-22). */
  readonly traceparent?: string | undefined
}

/** Where a request can be sent: a backend, or an external upstream under the verdict that admitted the request. */
export interface Destination {
  /** What metrics call it: its place among the model's backends, or the upstream's name. */
  readonly name: string
  readonly config: BackendConfig
  dispatch(request: BackendRequest, handler: Dispatcher.DispatchHandler): void
}

/** What the calls to a server have come to, for the choice among the backends of a model and for metrics. */
export interface CallAccount {
  readonly health: Health
  readonly tally: Tally
  /** Calls that are under way. */
  running: number
}

/** The sockets to a server and what is known about it; backends of several configurations may share them. */
export interface BackendServer extends CallAccount {
  readonly pool: StackedPool
}

/** A server that can serve a model, as one configuration has it. */
export interface Backend extends Destination, CallAccount {}

/** Makes ready to call a server; no connection is opened yet. Waiting is bounded by the relay's own timers. */
export function createServer(url: string, connectMs: number): BackendServer {
  // Idle sockets are kept for undici's 4 s, which is shorter than the 5 s after which common servers close theirs.
  const pool = new StackedPool(new URL(url).origin, {
    connect: passingOverInterim(buildConnector({ timeout: connectMs, allowH2: false })),
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return { pool, health: createHealth(() => performance.now()), tally: createTally(), running: 0 }
}

/** Creates a backend on a server. */
export function createBackend(name: string, config: BackendConfig, server: BackendServer): Backend {
  const compose = createComposer(config)
  return {
    name,
    config,
    health: server.health,
    tally: server.tally,
    get running() {
      return server.running
    },
    set running(calls) {
      server.running = calls
    },
    dispatch(request, handler) {
      server.pool.dispatch(compose(request), handler)
    },
  }
}

/**
 * Composes what a backend is sent. The headers are these and no others: nothing of the client's request but its body
 * ever reaches a backend (HDR-11, P-01).
 */
export function createComposer({
  url,
  apiKey,
}: Pick<BackendConfig, 'url' | 'apiKey'>): (request: BackendRequest) => Dispatcher.DispatchOptions {
  const base = new URL(url).pathname.replace(/\/+$/, '')
  const authorization = apiKey ? `Bearer ${apiKey}` : undefined
  return ({ path, body, accept, traceparent }) => {
    const headers = {
      'content-type': 'application/json',
      accept,
      ...(authorization && { authorization }),
      ...(traceparent && { traceparent }),
    }
    const lengthened = { ...headers, 'content-length': String(body.length) }
    const isLong = accept === 'text/event-stream'
    return { path: base + path, method: 'POST', headers: lengthened, body: contentOf(body, isLong) }
  }
}

/** What undici is handed: it keeps a buffer until the answer ends, and lets go of what it has read from a stream. */
function contentOf(body: Buffer, isLong: boolean): Buffer | Readable {
  if (body.length > LARGE_BODY_BYTES) return Readable.from([body], { objectMode: false })
  return isLong ? inOwnMemory([body])[0]! : body
}
