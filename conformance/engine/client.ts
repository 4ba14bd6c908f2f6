import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type ConsoleOperationId, consoleRoutes } from '#contract/console/routes'
import { type OperationId, routes } from '#contract/routes'
import { refuseToCharge } from './charge.ts'
import { Call } from './http/call.ts'
import type { Exchange, Sent } from './http/exchange.ts'
import { type RawBytes, type RawReply, sendRaw } from './http/raw.ts'
import type { Subject } from './target.ts'
import { checkExchange } from './universal/universal.ts'
import type { Violation } from './universal/violation.ts'

/** A request as a scenario writes it. */
export interface Request {
  /** Undefined: the path and method that are given. */
  readonly operation?: OperationId
  /** In its place, an operation of the console. */
  readonly consoleOperation?: ConsoleOperationId
  readonly method?: string
  /** Where it goes in place of the client's own base URL. */
  readonly baseUrl?: string | undefined
  /** Below the base URL; `//x` is `/x` at the origin of the address. */
  readonly path?: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string | undefined
  readonly body?: string | Buffer
  readonly isChunked?: boolean
  readonly timeoutMs?: number
}

/** Where bytes go that need not be HTTP, and how long they wait for an answer in silence, on a machine of any speed. */
export interface RawOptions extends Pick<Request, 'baseUrl'> {
  readonly quietMs?: number
}

/** Speaks to a product and has every answer judged. */
export interface Client {
  /** Begins a request; its answer is judged when it ends. */
  open(request: Request): Call
  /** Makes a request to its end. */
  send(request: Request): Promise<Exchange>
  /**
   * Writes bytes that need not be HTTP, and gives up when nothing has come for a second, or as told, times the target's
   * `slack` before the first byte; the answer is not judged.
   */
  raw(bytes: RawBytes, at?: RawOptions): Promise<RawReply>
  /** Every call, in the order in which they were begun. */
  readonly calls: readonly Call[]
  /** What was found in the answers that have ended. */
  readonly violations: readonly Violation[]
  /** Ends what still runs. */
  close(): Promise<void>
}

/** Where a client speaks and what it looks out for. */
export interface ClientOptions {
  readonly baseUrl: string
  readonly ca: string | undefined
  /** The name in the handshake and in `Host`, where it is not that of the address. */
  readonly hostname?: string | undefined
  /** Headers of every request, which one of its own goes before. */
  readonly headers?: Readonly<Record<string, string>>
  readonly subject: Subject
  /** Keys with which nothing is asked that might be generated. */
  readonly unchargeable?: readonly string[]
  readonly canary: string
  readonly timeoutMs: number
  /** What silence is multiplied with before an answer begins. */
  readonly slack: number
  /** False only to show that scenarios have teeth of their own. */
  readonly isJudging: boolean
}

/** Makes the client of one scenario; its connections are its own. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, ca, hostname, subject, unchargeable = [], canary, timeoutMs, slack, isJudging } = options
  const settings = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }
  // A resumed session shows no certificate.
  const tls = { maxCachedSessions: 0, ...(ca && { ca }), ...(hostname && { servername: hostname }) }
  const agent = baseUrl.startsWith('https:')
    ? new HttpsAgent({ ...settings, ...tls })
    : new HttpAgent(settings)
  const calls: Call[] = []
  const judgements: Promise<void>[] = []
  let isClosed = false
  const violations: Violation[] = []

  function open(request: Request): Call {
    // A scenario whose time was up asks nothing more beside those after it.
    if (isClosed) throw new Error('the scenario is over')
    const sent = toSent(request, request.baseUrl ?? baseUrl, options)
    refuseToCharge(unchargeable, sent.method, sent.url, JSON.stringify(sent.headers) + sent.url)
    const call = new Call(sent, {
      agent,
      isChunked: request.isChunked ?? false,
      timeoutMs: request.timeoutMs ?? timeoutMs,
    })
    calls.push(call)
    const { operation, consoleOperation } = request
    if (isJudging) {
      judgements.push(
        call.done.then((exchange) => {
          const found = checkExchange(exchange, { subject, operation, consoleOperation, canary })
          violations.push(...found.map((one) => ({ ...one, exchange })))
        }),
      )
    }
    return call
  }

  return {
    open,
    send: (request) => open(request).done,
    async raw(bytes, { baseUrl: url = baseUrl, quietMs } = {}) {
      const text = [bytes]
        .flat()
        .map((piece) => Buffer.from(piece).toString('latin1'))
        .join('')
      refuseToCharge(unchargeable, /\bPOST\b/.test(text) ? 'POST' : 'GET', text, text)
      return await sendRaw({ url, ca }, bytes, {
        firstByteMs: quietMs ?? RAW_QUIET_MS * slack,
        quietMs: quietMs ?? RAW_QUIET_MS,
      })
    },
    calls,
    violations,
    async close() {
      isClosed = true
      for (const call of calls) if (!call.isOver) call.abort()
      try {
        await Promise.all(judgements)
      } finally {
        agent.destroy()
      }
    },
  }
}

/** How long a socket may be silent before its answer is taken as complete (ours). */
const RAW_QUIET_MS = 1_000

function toSent(request: Request, baseUrl: string, { hostname, headers: fixed }: ClientOptions): Sent {
  const { key, headers = {}, body = '' } = request
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return {
    method: request.method ?? routeOf(request)?.method.toUpperCase() ?? 'GET',
    url: urlOf(request, baseUrl),
    headers: {
      ...lowered(fixed),
      ...(hostname === undefined ? {} : { host: `${hostname}:${new URL(baseUrl).port || 443}` }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(bytes.length > 0 ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    body: bytes,
  }
}

/** Of two headers of a name the later one is sent, however either is spelt. */
function lowered(headers: ClientOptions['headers'] = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function routeOf({ operation, consoleOperation }: Request) {
  if (operation) return routes[operation]
  return consoleOperation && consoleRoutes[consoleOperation]
}

function urlOf(request: Request, baseUrl: string): string {
  const { path, params = {}, query } = request
  const template = path ?? routeOf(request)?.path ?? ''
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const search = query ? `?${new URLSearchParams(query)}` : ''
  if (filled.startsWith('//')) return `${new URL(baseUrl).origin}${filled.slice(1)}${search}`
  return `${baseUrl}${filled}${search}`
}
