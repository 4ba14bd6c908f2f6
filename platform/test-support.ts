import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type RequestListener } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { EvidenceBundle } from '#contract/models'
import type { PlatformConfig } from './config.ts'
import type { Resource } from './deployment/resource.ts'
import { wireDigest } from './digest.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { createLog } from './log.ts'

/** The hostname of every gateway in tests. */
export const HOSTNAME = 'router.test'

/** A digest that an image could have. */
export const DIGEST = `sha256:${'a'.repeat(64)}`

/** The least that can be deployed. */
export const RESOURCES: readonly Resource[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'router' },
    spec: {
      template: { spec: { containers: [{ name: 'router', image: `registry.example/router@${DIGEST}` }] } },
    },
  },
]

/** A gateway in front of a router that a test plays. */
export interface World {
  readonly gateway: Gateway
  readonly port: number
  readonly root: string
  /** Sends a request over TLS and waits for the header of the answer. */
  send(path: string, options?: RequestOptions & { readonly body?: string }): Promise<IncomingMessage>
  /** Fetches the evidence, on a connection of its own. */
  fetchEvidence(): Promise<{ readonly bundle: EvidenceBundle; readonly text: string; readonly leaf: string }>
  connect(options?: ConnectionOptions): Promise<TLSSocket>
  control(method: string, path: string, body?: unknown): Promise<ControlAnswer>
}

/** What the control address said. */
export interface ControlAnswer {
  readonly status: number
  readonly headers: Headers
  readonly json: Readonly<Record<string, unknown>>
}

/** Starts a gateway; it ends with the test. */
export async function startWorld(
  router: RequestListener = (_, response) => void response.end(),
  changes: Partial<PlatformConfig> = {},
): Promise<World> {
  const upstream = await startRouter(router)
  const config = { ...configFor(changes.dataDir ?? temporaryFolder()), upstream, ...changes }
  const gateway = await startGateway(config, { now: () => new Date(), log: silentLog })
  onTestFinished(() => gateway.close())
  const port = Number(new URL(gateway.url).port)
  const root = readFileSync(gateway.rootPemFile, 'utf8')
  const agent = new Agent({ keepAlive: true, ca: root, servername: HOSTNAME })
  onTestFinished(() => agent.destroy())
  const tls = { host: '127.0.0.1', port, ca: root, servername: HOSTNAME }
  return {
    gateway,
    port,
    root,
    async send(path, { body, ...options } = {}) {
      const message = request({ ...tls, agent, path, ...options })
      message.end(body)
      const [answer] = await once(message, 'response')
      return answer
    },
    async fetchEvidence() {
      const socket = await connectTo(tls)
      const leaf = leafOf(socket)
      const text = await readEvidence(socket)
      return { text, leaf, bundle: JSON.parse(text) }
    },
    connect: (options) => connectTo({ ...tls, ...options }),
    async control(method, path, body) {
      const init = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(`${gateway.controlUrl}${path}`, { method, ...init })
      return {
        status: answer.status,
        headers: answer.headers,
        json: (await answer.json()) as ControlAnswer['json'],
      }
    },
  }
}

/** A configuration for a test. */
export function configFor(dataDir: string): PlatformConfig {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    control: { host: '127.0.0.1', port: 0 },
    hostname: HOSTNAME,
    upstream: new URL('http://127.0.0.1:9'),
    dataDir,
    resignIntervalMs: 180_000,
    algorithm: 'ES256',
    hardware: 'Intel TDX (QEMU)',
    simulateTee: undefined,
    deployment: { file: 'platform.yaml', folder: undefined, inline: RESOURCES },
    resources: RESOURCES,
    warnings: [],
  }
}

/** A log that nobody reads. */
export const silentLog = createLog(
  () => undefined,
  () => new Date(),
)

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'platform-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The fingerprint of the certificate that a server shows. */
export function leafOf(socket: TLSSocket): string {
  return wireDigest(socket.getPeerX509Certificate()!.raw)
}

/** Asks for the evidence on a connection that is there already, and closes it. */
export async function readEvidence(socket: TLSSocket): Promise<string> {
  socket.write(
    `GET /.well-known/platform-evidence HTTP/1.1\r\nHost: ${HOSTNAME}\r\nConnection: close\r\n\r\n`,
  )
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part)
  return Buffer.concat(parts).toString('utf8').split('\r\n\r\n').slice(1).join('')
}

/** The whole body of an answer. */
export async function textOf(answer: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of answer) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

/** The header of an answer without what differs from one answer to the next. */
export function lasting({ date: _, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers
}

async function connectTo(options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect(options)
  await once(socket, 'secureConnect')
  return socket
}

async function startRouter(listener: RequestListener): Promise<URL> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}
