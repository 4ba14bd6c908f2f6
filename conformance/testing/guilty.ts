import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket, Server as TcpServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { type ControlOperation, type ControlOperations, controlOperations } from '#contract/control'
import { errors } from '#contract/errors'
import type { Bench } from '../engine/attempt.ts'
import { createHooks } from '../engine/hooks.ts'
import type { Target } from '../engine/target.ts'
import { createBackend } from '../stand-ins/backend/backend.ts'
import { features, limits, targetModels } from './deployment.ts'
import { DOUBTED, EXTERNAL } from './external.ts'

/** A server that keeps no rule, and all that the suite may ask of its surroundings. */
export interface Guilty {
  readonly bench: Bench
  stop(): Promise<void>
}

// A client that a busy machine delays may come back to a pooled socket later than Node's five seconds.
const KEEP_ALIVE_MS = 75_000

/** Answers every request 200 with an empty body. */
export const nullServer: RequestListener = (incoming, response) => {
  incoming.resume()
  response.writeHead(200)
  response.end()
}

/** Gives back what it is given, headers included. */
export const echoServer: RequestListener = (incoming, response) => {
  const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...headers } = incoming.headers
  response.writeHead(200, { ...(headers as Record<string, string>), 'content-type': 'application/json' })
  incoming.pipe(response)
}

/** Refuses whoever comes, as somebody without a key is refused. */
export const refusingServer: RequestListener = (incoming, response) => {
  incoming.resume()
  const { status, type } = errors.invalid_api_key
  const message = 'Send a key: `Authorization: Bearer <key>`.'
  const id = incoming.headers['x-request-id'] ?? randomUUID()
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': id })
  response.end(JSON.stringify({ error: { code: 'invalid_api_key', message, type } }))
}

/**
 * Serves `listener` as the product, or what need not speak HTTP; hooks and stand-ins around it succeed, and the books
 * are empty.
 */
export async function arraign(
  listener: RequestListener | TcpServer,
  changes: Partial<Target> = {},
): Promise<Guilty> {
  const backend = await createBackend({ paceMs: 0 })
  const product = typeof listener === 'function' ? createServer(listener) : listener
  const control = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, response) =>
    obligingControl(baseUrl)(incoming, response),
  )
  const sockets = new Set<Socket>()
  product.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // Whoever left it is not told.
    socket.on('error', () => {})
  })
  const baseUrl = `${await listening(product)}/v1`
  const controlUrl = await listening(control)
  const hooks = Object.fromEntries(controlOperations.map((name) => [name, { url: `${controlUrl}/${name}` }]))
  const target: Target = {
    product: { name: 'guilty' },
    profiles: ['router', 'proxy', 'platform', 'console'],
    claims: ['given', 'chosen'],
    baseUrl,
    proxyUrl: baseUrl,
    openProxy: { url: baseUrl, token: 'a-token-of-sixteen' },
    proxySocket: '/nowhere/proxy.sock',
    siblingUrl: baseUrl,
    siblingAdminUrl: new URL(baseUrl).origin,
    spareUrl: baseUrl,
    consoleUrl: baseUrl,
    administrator: 'admin@suite.example',
    proxyPageUrl: baseUrl,
    platform: { url: baseUrl, hostname: '127.0.0.1' },
    headers: {},
    ca: undefined,
    features: new Set(features),
    keys: {},
    models: { ...targetModels },
    endpoints: {
      own: 'demo',
      unfetched: 'unfetched',
      published: 'published',
      external: EXTERNAL,
      doubted: DOUBTED,
    },
    corsOrigin: 'https://app.example',
    mayGenerate: true,
    believesForwarded: true,
    limits: { ...limits, templateTokens: 1_024, tokensPerMinute: 2_000_000 },
    // Nothing that it waits for will ever come.
    slack: 0.6,
    expectedFailures: [],
    overdue: [],
    verifier: undefined,
    ...changes,
    hooks: {
      ...hooks,
      backendScript: { url: backend.controlUrl },
      platformControl: { url: `${controlUrl}/platform` },
      upstreamControl: { url: `${controlUrl}/platform` },
      proxyControl: { url: `${controlUrl}/platform` },
      siblingControl: { url: `${controlUrl}/platform` },
      storeWire: { url: `${controlUrl}/wire` },
      databaseWire: { url: `${controlUrl}/wire` },
      spareWire: { url: `${controlUrl}/wire` },
      siblingWire: { url: `${controlUrl}/wire` },
      proxyWire: { url: `${controlUrl}/wire` },
      routerWire: { url: `${controlUrl}/wire` },
      backendWire: { url: `${controlUrl}/wire` },
    },
  }
  return {
    bench: { target, hooks: createHooks(target.hooks), seed: 1, tellSecret: () => {}, isJudging: false },
    async stop() {
      for (const socket of sockets) socket.destroy()
      control.closeAllConnections()
      for (const server of [product, control]) server.close()
      await backend.close()
    },
  }
}

async function listening(server: TcpServer): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const key = { id: 'key_1', workspace_id: 'ws_1', state: 'active', spent_micros: 0, revoked_at: null } as const

const invitation = {
  code: 'AAAA-AAAA-AAAA',
  grant_micros: 1,
  description: 'Nothing',
  max_redemptions: 1,
  redemptions: 0,
  note: null,
  created_at: '2026-01-01T00:00:00Z',
  expires_at: null,
  withdrawn_at: null,
} as const

/** More than there are vectors to be served. */
const ENDPOINTS = 100

type Answers = { readonly [Op in ControlOperation]: () => ControlOperations[Op]['response'] }

const answersFor = (baseUrl: string): Answers => ({
  reset: () => ({}),
  createWorkspace: () => ({ id: 'ws_1', balance_micros: 0 }),
  createKey: () => ({ ...key, api_key: `sk-tee-v1-${randomBytes(32).toString('base64url')}` }),
  updateKey: () => key,
  revokeKey: () => ({ ...key, state: 'revoked', revoked_at: '2026-01-01T00:00:00Z' }),
  setBalance: () => ({ id: 'ws_1', balance_micros: 0 }),
  issueInvitation: () => invitation,
  withdrawInvitation: () => invitation,
  redeemInvitation: () => ({ granted_micros: 1 }),
  debits: () => ({ balance_micros: 0, rows: [], generations: [] }),
  books: () => ({ balance_micros: 0, entries: [], generations: [], holds: [], keys: [] }),
  verifyLedger: () => ({ open_holds: 0, differences: [] }),
  lostLimits: () => ({ count: 0 }),
  registerUpstream: () => ({}),
  setVerdict: () => ({}),
  publishEvidence: () => ({}),
  readMails: () => ({ mails: [{ text: 'Your code is 123456.' }] }),
  startProxy: () => ({ base_urls: Array.from({ length: ENDPOINTS }, () => baseUrl) }),
  advanceClock: () => ({}),
})

/** It says that it has done all that it was asked for, so that nothing but the product is to blame. */
function obliged(answer: object, operation: string, asked: object): object {
  if (!/^(create|update)(Workspace|Key)$/.test(operation)) return answer
  const isRevoked = 'revoked' in asked && asked.revoked === true
  return { ...answer, ...asked, ...(isRevoked && { state: 'revoked' }) }
}

/** What a wire tells of which nothing is heard. */
const silentWire = { isCut: false, connections: 0, held: 0, heads: [], beginnings: [] }

const obligingControl =
  (baseUrl: string): RequestListener =>
  (incoming, response) => {
    void text(incoming).then((body) => {
      const asked: object = body === '' ? {} : JSON.parse(body)
      const [operation = ''] = (incoming.url ?? '').slice(1).split('/')
      const answer =
        operation === 'wire'
          ? silentWire
          : operation === 'platform'
            ? {}
            : obliged(answersFor(baseUrl)[operation as ControlOperation](), operation, asked)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    })
  }
