import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type ClientRequest, type IncomingMessage, type RequestListener, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '#egress/clock.ts'
import type { Attest, Outcome } from '#egress/evidence/attest.ts'
import { expectation, passed } from '#egress/testing/admissions.ts'
import { type Gateway, startGateway } from '#egress/testing/gateway.ts'
import { createIdentity, HOSTNAME, type Identity } from '#egress/testing/identity.ts'
import type { ListenConfig } from '../listener/listen-config.ts'
import { silent } from '../log.ts'
import { startProxy } from '../proxy.ts'

/** Two identities that tests share, as making one takes a while. */
export const [firstIdentity, secondIdentity] = [createIdentity(), createIdentity()] as const

/** What a world starts with. */
export interface WorldOptions {
  readonly script?: RequestListener
  readonly clock?: Clock
  readonly attest?: Attest
  readonly listen?: Partial<ListenConfig>
  readonly drainMs?: number
  /** File of a journal; none is kept without. */
  readonly journal?: string
}

/** A proxy in front of a gateway, and a platform that says what it is told to. */
export interface World {
  readonly gateway: Gateway
  readonly port: number
  readonly adminUrl: string
  /** How many checks there were. */
  readonly checks: number
  /** Says what the next checks end with. */
  judge(outcome: Outcome): void
  /** Rotates certificate and evidence together. */
  rotate(identity: Identity): void
  stop(): Promise<void>
}

const worlds: (() => Promise<void>)[] = []

/** Starts a proxy whose endpoint is admitted unless the options say otherwise. */
export async function startWorld({
  script = hello,
  clock,
  attest,
  ...options
}: WorldOptions = {}): Promise<World> {
  const gateway = await startGateway(firstIdentity, script)
  const dataDir = mkdtempSync(join(tmpdir(), 'proxy-test-'))
  let checks = 0
  let outcome: Outcome = passed(firstIdentity.fingerprint)
  const listen = { host: '127.0.0.1', port: 0, origins: [], token: undefined, ...options.listen }
  const target = { hostname: HOSTNAME, host: '127.0.0.1', port: gateway.port }
  const proxy = await startProxy({
    config: {
      dataDir,
      journal: options.journal,
      admin: { host: '127.0.0.1', port: 0 },
      endpoints: [{ ...expectation, target, name: 'test', listen, basePath: '' }],
    },
    log: silent,
    drainMs: options.drainMs ?? 0,
    ...(clock && { clock }),
    async attest(expected, newest, signal) {
      checks += 1
      return attest === undefined ? outcome : attest(expected, newest, signal)
    },
  })
  worlds.push(async () => {
    await proxy.stop()
    await gateway.close()
    rmSync(dataDir, { recursive: true })
  })
  return {
    gateway,
    port: proxy.endpoints[0]!.port,
    adminUrl: proxy.adminUrl!,
    get checks() {
      return checks
    },
    judge(next) {
      outcome = next
    },
    rotate(identity) {
      gateway.rotate(identity)
      outcome = passed(identity.fingerprint)
    },
    stop: () => proxy.stop(),
  }
}

/** Ends every world that is still there. */
export async function closeWorlds(): Promise<void> {
  await Promise.all(worlds.splice(0).map((close) => close()))
}

/** A request to a proxy; every member has a harmless default. */
export interface Ask {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
  readonly agent?: Agent
}

/** Opens a request whose body the caller sends. */
export function openRequest(
  world: Pick<World, 'port'>,
  { method = 'GET', path = '/v1/models', headers, agent }: Ask = {},
): ClientRequest {
  const sent = request({
    host: '127.0.0.1',
    port: world.port,
    method,
    path,
    headers: { ...headers },
    ...(agent === undefined ? { agent: new Agent({ keepAlive: false }) } : { agent }),
  })
  return sent.on('error', () => {})
}

/** Sends a request and gives the answer as soon as its head is there. */
export async function send(world: Pick<World, 'port'>, ask: Ask = {}): Promise<IncomingMessage> {
  const sent = openRequest(world, ask)
  const answered = once(sent, 'response')
  sent.end(ask.body)
  const [response] = (await answered) as [IncomingMessage]
  return response
}

/** A whole answer. */
export interface Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** Sends a request and reads the whole answer. */
export async function ask(world: Pick<World, 'port'>, asked: Ask = {}): Promise<Reply> {
  const response = await send(world, asked)
  return { status: response.statusCode!, headers: response.headers, text: await readAll(response) }
}

/** Reads an answer to its end, or to where it breaks off. */
export async function readAll(response: IncomingMessage): Promise<string> {
  let text = ''
  response.setEncoding('utf8').on('error', () => {})
  response.on('data', (piece: string) => {
    text += piece
  })
  await new Promise((resolve) => response.once('close', resolve))
  return text
}

/** Starts an event stream and gives the pen to the test. */
export function eventStream(): {
  readonly script: RequestListener
  write(text: string): void
  end(): void
  cut(): void
} {
  let response: Parameters<RequestListener>[1] | undefined
  return {
    script(_, answer) {
      response = answer
      answer.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    },
    write: (text) => void response?.write(text),
    end: () => void response?.end(),
    cut: () => void response?.socket?.destroy(),
  }
}

function hello(_: IncomingMessage, response: Parameters<RequestListener>[1]): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
}
