import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import type { ConsoleConfig } from '../server/config/console.ts'
import type { EndpointConfig, ModelConfig, RouterConfig, ServedModel } from '../server/config/router.ts'
import { type Log, silent } from '../server/log.ts'
import type { MeterTimers } from '../server/meter.ts'
import { postEntry } from '../server/metering/ledger.ts'
import { type LedgerReport, verifyLedger } from '../server/metering/verify-ledger.ts'
import { type Router, startRouter } from '../server/router.ts'
import { connect, type Sql } from '../server/store/connection.ts'
import { createKey, type KeySettings } from '../server/store/keys.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { createWorkspace } from '../server/store/workspaces.ts'

/** The whole service of one test file: real PostgreSQL, a scripted backend, a router on a free port. */
export interface Service {
  /** With `/v1`. */
  readonly baseUrl: string
  /** Of the operator's listener. */
  readonly adminUrl: string
  /** Where the router is controlled, if the options ask for it. */
  readonly controlUrl: string
  /** Without a path, where browsers reach the console. */
  readonly consoleUrl: string
  /** Of the page that shows the console's mails. */
  readonly outboxUrl: string
  readonly backend: Backend
  readonly server: TestServer
  readonly sql: Sql
  /** A new workspace with that balance, and a key of it. */
  createAccount(balanceMicros: bigint, settings?: KeySettings): Promise<Account>
  balanceOf(workspaceId: string): Promise<bigint>
  verify(): Promise<LedgerReport>
  /** Starts another router on the same database, of the same configuration but for `changes`; resolves its base URL. */
  startReplica(changes?: Partial<RouterConfig>): Promise<string>
  /** Stops the router alone, as SIGTERM does. */
  stopRouter(): Promise<void>
  stop(): Promise<void>
}

/** A workspace and a key that it pays for. */
export interface Account {
  readonly workspaceId: string
  readonly keyId: string
  readonly apiKey: string
}

/** What differs from the demo. */
export interface ServiceOptions {
  readonly models?: (backendUrl: string) => readonly ServedModel[]
  readonly redis?: RouterConfig['redis']
  readonly limits?: Partial<RouterConfig['limits']>
  readonly timers?: Partial<RouterConfig['timers']>
  readonly meterTimers?: Partial<MeterTimers>
  readonly corsOrigins?: readonly string[]
  readonly endpoints?: readonly EndpointConfig[]
  readonly trustedProxies?: readonly string[]
  readonly traces?: RouterConfig['traces']
  readonly publicBaseUrl?: string
  readonly log?: Log
  readonly isControlled?: boolean
  /** None unless it is given; its mails are in the outbox unless others are named. */
  readonly console?: Partial<ConsoleConfig>
  readonly tell?: (line: string) => void
}

/** Starts everything; stop it in `afterAll`. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const backend = await createBackend({ paceMs: 1 })
  const server = await startTestServer()
  const { url, sql } = await server.open()
  const consoleSql = connect({ url, maxConnections: 4 })
  const models = options.models?.(backend.url) ?? [demoModel(backend.url)]
  const config = configFor(models, options)
  const start = (changes: Partial<RouterConfig> = {}) =>
    startRouter({
      config: { ...config, ...changes },
      sql,
      consoleSql,
      log: options.log ?? silent,
      ...(options.meterTimers && { meterTimers: options.meterTimers }),
      ...(options.tell && { tell: options.tell }),
    })
  const router = await start()
  const replicas: Router[] = []
  let stopped: Promise<void> | undefined
  const stopRouter = () => {
    stopped ??= router.stop()
    return stopped
  }
  return {
    baseUrl: `http://127.0.0.1:${router.port}/v1`,
    adminUrl: `http://127.0.0.1:${router.adminPort}`,
    controlUrl: `http://127.0.0.1:${router.controlPort}`,
    consoleUrl: `http://127.0.0.1:${router.port}`,
    outboxUrl: `http://127.0.0.1:${router.outboxPort}`,
    backend,
    server,
    sql,
    createAccount: (balanceMicros, settings) => createAccount(sql, balanceMicros, settings),
    balanceOf: (workspaceId) => balanceOf(sql, workspaceId),
    verify: () => verifyLedger(sql),
    async startReplica(changes) {
      const replica = await start(changes)
      replicas.push(replica)
      return `http://127.0.0.1:${replica.port}/v1`
    },
    stopRouter,
    async stop() {
      await Promise.all([stopRouter(), ...replicas.map((replica) => replica.stop())])
      await backend.close()
      await consoleSql.end({ timeout: 1 })
      await server.stop()
    },
  }
}

/** What every router of these tests encrypts stored secrets under. */
export const SECRETS_KEY = 'the secrets key of every test, 32+'

/** An endpoint whose platform nobody has started. */
const demoEndpoint: EndpointConfig = {
  name: 'demo',
  hostname: 'router.localhost',
  evidence: { hostname: 'router.localhost', url: 'https://127.0.0.1:1/', caFile: undefined },
}

/** The demo's model; changes go on top. */
export function demoModel(backendUrl: string, changes: Partial<ModelConfig> = {}): ModelConfig {
  return {
    id: 'demo/tiny-chat',
    name: 'Tiny Chat',
    ownedBy: 'demo',
    created: 1_767_225_600,
    contextLength: 32_768,
    maxOutputTokens: 16_384,
    templateTokens: 1_024,
    pricing: { promptMicros: 150_000, completionMicros: 600_000 },
    capabilities: ['chat'],
    endpoint: demoEndpoint,
    backends: [{ url: backendUrl, model: 'tiny-chat', apiKey: undefined, usage: 'final' }],
    ...changes,
  }
}

/** A chat request to the demo's model, whole or streamed. */
export function chat(
  { baseUrl }: Pick<Service, 'baseUrl'>,
  apiKey: string,
  body: Readonly<Record<string, unknown>>,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo/tiny-chat',
      messages: [{ role: 'user', content: 'Hello' }],
      ...body,
    }),
    ...init,
  })
}

/** Makes a workspace, its balance and a key. */
export async function createAccount(
  sql: Sql,
  balanceMicros: bigint,
  settings: KeySettings = {},
): Promise<Account> {
  const { id: workspaceId } = await createWorkspace(sql, 'test')
  if (balanceMicros !== 0n) {
    await postEntry(sql, { workspaceId, kind: 'top_up', amountMicros: balanceMicros, description: 'test' })
  }
  const { key, plaintext } = await createKey(sql, workspaceId, { name: 'test', ...settings })
  return { workspaceId, keyId: key.id, apiKey: plaintext }
}

/** What a workspace's balance is now. */
export async function balanceOf(sql: Sql, workspaceId: string): Promise<bigint> {
  const [row] = await sql<{ balance_micros: bigint }[]>`
    select balance_micros from workspaces where id = ${workspaceId}`
  return row!.balance_micros
}

function configFor(models: readonly ServedModel[], options: ServiceOptions): RouterConfig {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    admin: { host: '127.0.0.1', port: 0 },
    ...(options.isControlled && { testControl: { host: '127.0.0.1', port: 0 } }),
    publicBaseUrl: options.publicBaseUrl ?? 'http://127.0.0.1/v1',
    dataDir: '.',
    secretsKey: SECRETS_KEY,
    database: { url: undefined, preparedStatements: true, maxConnections: 8 },
    allowOverdraftMicros: 0n,
    redis: options.redis ?? { url: undefined, fallback: 'memory' },
    limits: {
      maxBodyBytes: 33_554_432,
      maxHeaderBytes: 16_384,
      bodyMemoryBytes: 268_435_456,
      maxEventBytes: 1_048_576,
      maxConnections: 16_384,
      maxRequests: 8_192,
      // However busy the machine is: who tests something else is not refused for it.
      leastJudged: 8_192,
      requestsPerMinute: 1_000_000,
      tokensPerMinute: 1_000_000_000,
      ...options.limits,
    },
    timers: {
      connectMs: 5_000,
      firstByteMs: 600_000,
      idleMs: 120_000,
      pingMs: 15_000,
      stalledClientMs: 60_000,
      notReadyMs: 0,
      drainMs: 1_000,
      evidencePollMs: 200,
      ...options.timers,
    },
    corsOrigins: options.corsOrigins ?? [],
    ...(options.console && { console: consoleFor(options.console) }),
    trustedProxies: options.trustedProxies ?? [],
    ...(options.traces && { traces: options.traces }),
    endpoints: options.endpoints ?? [demoEndpoint],
    models,
  }
}

function consoleFor(settings: Partial<ConsoleConfig>): ConsoleConfig {
  const shown = settings.mail ? {} : { outbox: { host: '127.0.0.1', port: 0 } }
  return { publicUrl: 'http://127.0.0.1', administrators: [], ...shown, ...settings }
}
