import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { messageOf } from '#base/thrown.ts'
import { ScriptError } from './parse-script.ts'
import { BodyTooLarge, readBody } from './read-body.ts'

/** What the control address can do; each value returned is answered as JSON. */
export interface Controls {
  putScript(script: unknown): Promise<unknown>
  /** Puts one rule in front, or in the place of the rule of that name. */
  putRule(name: string, rule: unknown): Promise<unknown>
  getScript(): unknown
  deleteScript(): Promise<unknown>
  requests(marker: string): unknown
  clearRequests(): unknown
  connections(): unknown
  closeIdleConnections(): unknown
}

/** A request that the control address cannot read; the message says why. */
class ControlError extends Error {}

const MAX_BODY_BYTES = 16 * 1024 * 1024
// A client that a busy machine delays may come back to a pooled socket later than Node's five seconds.
const KEEP_ALIVE_MS = 75_000

/** The control address: for tests, on loopback only. */
export function createControlServer(controls: Controls): Server {
  return createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (message, response) => {
    handle(controls, message)
      .then((answer) => send(response, answer === undefined ? 404 : 200, answer ?? notFound(message)))
      .catch((error: unknown) => send(response, ...problemOf(error)))
  })
}

async function handle(controls: Controls, message: IncomingMessage): Promise<unknown> {
  const url = new URL(message.url ?? '/', 'http://control')
  const rule = /^\/script\/([\w.-]+)$/.exec(url.pathname)?.[1]
  if (rule !== undefined && message.method === 'PUT') return controls.putRule(rule, await readJson(message))
  switch (`${message.method} ${url.pathname}`) {
    case 'PUT /script':
      return controls.putScript(await readJson(message))
    case 'GET /script':
      return controls.getScript()
    case 'DELETE /script':
      return controls.deleteScript()
    case 'GET /requests':
      return controls.requests(url.searchParams.get('contains') ?? '')
    case 'DELETE /requests':
      return controls.clearRequests()
    case 'GET /connections':
      return controls.connections()
    case 'DELETE /connections':
      return controls.closeIdleConnections()
    default:
      return undefined
  }
}

async function readJson(message: IncomingMessage): Promise<unknown> {
  const body = await readBody(message, MAX_BODY_BYTES)
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw new ControlError('The body is not JSON.', { cause })
  }
}

function problemOf(error: unknown): [number, object] {
  if (error instanceof ScriptError)
    return [400, { error: { message: error.message, problems: error.problems } }]
  const own = error instanceof ControlError || error instanceof BodyTooLarge
  return [own ? 400 : 500, { error: { message: messageOf(error) } }]
}

function notFound({ method, url }: IncomingMessage): object {
  return { error: { message: `The control address knows no ${method} ${url}.` } }
}

function send(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify(answer)}\n`)
}
