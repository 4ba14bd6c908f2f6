import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type Backend, createBackend } from '../backend/backend.ts'
import { forward } from './forward.ts'
import { createDeployment, createIdentity, type Leaf } from './identity.ts'

/** What the evidence path answers in place of the bundle. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** A request for anything but evidence: what somebody sends who trusts the gateway. */
export interface Sent {
  readonly url: string
  readonly authorization: string | undefined
}

/** A platform gateway of one scenario, with a scripted backend behind it; its methods have it misbehave. */
export interface Gateway {
  /** With `/v1`. */
  readonly url: string
  readonly port: number
  readonly hostname: string
  /** The root, in PEM, that its bundles are signed under. */
  readonly root: string
  /** Of what is deployed now, in wire form. */
  readonly digest: string
  readonly backend: Backend
  readonly sent: readonly Sent[]
  /** How often evidence was asked for. */
  readonly asked: number
  /** Every bundle that was signed. */
  readonly published: readonly Buffer[]
  /** TLS connections so far. */
  readonly connections: number
  /** Shows another certificate on new connections, and publishes it, unless it is told not to do one of them. */
  renewLeaf(options?: { readonly isShown?: boolean; readonly isPublished?: boolean }): Promise<void>
  /** Signs for what it shows and runs now. */
  publish(): Promise<void>
  /** Has something else deployed, or once more what was. */
  deploy(revision: string): Promise<void>
  /** Answers evidence otherwise; as it should when nothing is told. */
  answer(answer?: Answer): void
  /** Destroys every open connection; new ones are taken. */
  drop(): void
  /** Takes requests for evidence and does not answer them, until it is told to go on. */
  hold(isHeld: boolean): void
  close(): Promise<void>
}

/** Where a platform publishes (EP-21). */
export const EVIDENCE = '/.well-known/platform-evidence'

/** What is deployed at first. */
export const FIRST_REVISION = 'first'

/** Starts a gateway on loopback. */
export async function startGateway(hostname: string): Promise<Gateway> {
  const identity = await createIdentity(hostname)
  const backend = await createBackend({ paceMs: 0 })
  const sent: Sent[] = []
  const sockets = new Set<Socket>()
  const waiting: (() => void)[] = []
  let leaf = await identity.issueLeaf()
  let snapshot = createDeployment(FIRST_REVISION)
  const sign = () => identity.sign({ leaf, snapshot, issuedAt: new Date() })
  const published = [await sign()]
  let other: Answer | undefined
  let [asked, connections, isHeld] = [0, 0, false]

  async function publish(response: ServerResponse): Promise<void> {
    asked += 1
    if (isHeld) await new Promise<void>((go) => waiting.push(go))
    const { status, headers, body } = other ?? { status: 200, body: published.at(-1) }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }

  function drop(): void {
    for (const socket of sockets) socket.destroy()
  }

  const server = createServer(optionsOf(leaf), (incoming, response) => {
    const { url = '', headers } = incoming
    if (url === EVIDENCE) return void publish(response)
    sent.push({ url, authorization: headers.authorization })
    forward(incoming, response, backend.url)
  })
  server.keepAliveTimeout = 60_000
  server.on('secureConnection', () => {
    connections += 1
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  // Whoever leaves in the middle of a handshake does what it should.
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `https://127.0.0.1:${port}/v1`,
    port,
    hostname,
    root: identity.root,
    get digest() {
      return snapshot.digest
    },
    backend,
    sent,
    get asked() {
      return asked
    },
    published,
    get connections() {
      return connections
    },
    async renewLeaf({ isShown = true, isPublished = true } = {}) {
      leaf = await identity.issueLeaf()
      if (isPublished) published.push(await sign())
      if (isShown) server.setSecureContext(optionsOf(leaf))
    },
    async publish() {
      published.push(await sign())
    },
    async deploy(revision) {
      snapshot = createDeployment(revision)
      published.push(await sign())
    },
    answer(answer) {
      other = answer
    },
    drop,
    hold(told) {
      isHeld = told
      if (!told) for (const go of waiting.splice(0)) go()
    },
    async close() {
      drop()
      server.close()
      await backend.close()
    },
  }
}

function optionsOf({ key, chain }: Leaf): { key: string; cert: string; minVersion: 'TLSv1.3' } {
  return { key, cert: chain, minVersion: 'TLSv1.3' }
}
