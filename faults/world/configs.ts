import { join } from 'node:path'

/** The hostname that the platform signs for. */
const HOSTNAME = 'router.localhost'

/** The only model, and its prices in micro-dollars per million tokens. */
export const MODEL = 'demo/tiny-chat'
const PRICES = { prompt: 150_000n, completion: 600_000n }

const DEPLOYMENT = join(import.meta.dirname, '..', '..', 'platform', 'demo-deployment')

const HOST = '127.0.0.1'
const SECRETS_KEY = 'a-key-of-a-stack-that-is-thrown-away'

/** Longer than a busy machine's pauses, and short enough that what a backend never ends is waited for. */
const timers = { firstByteMs: 12_000, idleMs: 10_000, stalledClientMs: 10_000, drainMs: 2_000, pingMs: 2_000 }

/** What a router is told. */
export interface RouterSettings {
  readonly port: number
  readonly adminPort: number
  readonly dataDir: string
  readonly backendUrl: string
  readonly platformPort: number
  readonly platformRoot: string
  readonly redisUrl: string
}

/** The configuration file of a router; its database comes by `DATABASE_URL`. */
export function routerConfig(at: RouterSettings): object {
  return {
    listen: { host: HOST, port: at.port },
    admin: { host: HOST, port: at.adminPort },
    publicBaseUrl: `https://${HOSTNAME}/v1`,
    dataDir: at.dataDir,
    secretsKey: SECRETS_KEY,
    database: { url: `\${DATABASE_URL}` },
    redis: { url: at.redisUrl },
    limits: { requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000 },
    timers,
    endpoints: [
      {
        name: 'demo',
        hostname: HOSTNAME,
        evidenceUrl: `https://${HOST}:${at.platformPort}/.well-known/platform-evidence`,
        evidenceCaFile: at.platformRoot,
      },
    ],
    models: [
      {
        id: MODEL,
        contextLength: 32_768,
        pricing: {
          promptPer1mMicros: Number(PRICES.prompt),
          completionPer1mMicros: Number(PRICES.completion),
        },
        endpoint: 'demo',
        capabilities: ['chat'],
        backends: [{ url: at.backendUrl, model: 'tiny-chat' }],
      },
    ],
  }
}

/** The configuration file of the platform in front of a router. */
export function platformConfig(at: {
  readonly port: number
  readonly controlPort: number
  readonly upstream: string
  readonly dataDir: string
}): object {
  return {
    listen: { host: HOST, port: at.port },
    control: { host: HOST, port: at.controlPort },
    hostname: HOSTNAME,
    upstream: at.upstream,
    dataDir: at.dataDir,
    deployment: DEPLOYMENT,
  }
}

/** The configuration file of the proxy in front of that platform. */
export function proxyConfig(at: {
  readonly port: number
  readonly adminPort: number
  readonly platformPort: number
  readonly dataDir: string
  readonly roots: readonly string[]
  readonly pin: string
}): object {
  return {
    dataDir: at.dataDir,
    admin: { host: HOST, port: at.adminPort },
    endpoints: [
      {
        name: 'main',
        listen: { host: HOST, port: at.port },
        url: `https://${HOST}:${at.platformPort}/v1`,
        hostname: HOSTNAME,
        roots: at.roots.map((file) => ({ file })),
        pins: [at.pin],
      },
    ],
  }
}
