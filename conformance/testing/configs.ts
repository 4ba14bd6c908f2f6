import { fileURLToPath } from 'node:url'
import {
  ADMINISTRATOR,
  type BackendAddresses,
  HOSTNAME,
  limits,
  modelsFor,
  ORIGIN,
  PRICES,
  PUBLISHED,
  SIBLING_PRICES,
} from './deployment.ts'

/** What is published as deployed: the sample. */
const DEPLOYMENT = fileURLToPath(new URL('../../platform/demo-deployment', import.meta.url))

/** What all routers are configured with. */
export interface RouterSurroundings {
  readonly databaseUrl: string
  readonly backends: BackendAddresses
  readonly platformUrl: string
  readonly rootPemFile: string
  readonly publisherUrl: string
  readonly publisherPemFile: string
  readonly dataDir: string
  /** Of the store that both share their buckets in. */
  readonly redisUrl: string
}

/** However busy the machine is: scenarios that ask for much at once are about something else than overload. */
const PATIENT = 8_192

/** The router's configuration file. */
export function routerConfig(
  at: RouterSurroundings & {
    readonly port: number
    readonly controlPort: number
    readonly outboxPort: number
  },
): object {
  return {
    ...commonConfig(at),
    timers,
    listen: { host: '127.0.0.1', port: at.port },
    publicBaseUrl: `https://${HOSTNAME}/v1`,
    testControl: { host: '127.0.0.1', port: at.controlPort },
    console: {
      publicUrl: `http://127.0.0.1:${at.port}`,
      administrators: [ADMINISTRATOR],
      outbox: { host: '127.0.0.1', port: at.outboxPort },
    },
    limits: {
      maxBodyBytes: limits.maxBodyBytes,
      requestsPerMinute: limits.requestsPerMinute,
      leastJudged: PATIENT,
    },
    models: modelsFor(at.backends, PRICES),
  }
}

/** The configuration file of a second router on the same database; spec/config/target.tsp tells what it is for. */
export function siblingConfig(
  at: RouterSurroundings & { readonly port: number; readonly adminPort: number },
): object {
  const { maxBodyBytes, bodyMemoryBytes, requestsPerMinute } = limits
  return {
    ...commonConfig(at),
    listen: { host: '127.0.0.1', port: at.port },
    admin: { host: '127.0.0.1', port: at.adminPort },
    publicBaseUrl: 'https://sibling.localhost/v1',
    limits: { maxBodyBytes, bodyMemoryBytes, requestsPerMinute, leastJudged: PATIENT },
    models: modelsFor(at.backends, SIBLING_PRICES),
  }
}

/** The configuration file of a third router on that database; its own endpoint publishes nothing. */
export function spareConfig(at: RouterSurroundings): object {
  return {
    ...commonConfig(at),
    listen: { host: '127.0.0.1', port: 0 },
    publicBaseUrl: 'https://unfetched.localhost/v1',
    limits: { maxRequests: limits.maxRequests },
    models: modelsFor(at.backends, PRICES),
  }
}

const { pingMs, firstByteMs, idleMs, stalledClientMs, evidencePollMs, drainMs } = limits
const timers = { pingMs, firstByteMs, idleMs, stalledClientMs, evidencePollMs, drainMs }

/** Nobody waits for the evidence of the other routers; what they do not poll leaves the machine to those who are judged. */
const IDLE_POLL_MS = 2_000

function commonConfig(at: RouterSurroundings): object {
  return {
    dataDir: at.dataDir,
    // What an upstream's key is kept under is the same at every router.
    secretsKey: SECRETS_KEY,
    database: { url: at.databaseUrl },
    redis: { url: at.redisUrl },
    timers: { ...timers, evidencePollMs: IDLE_POLL_MS },
    cors: { origins: [ORIGIN] },
    trustedProxies: ['127.0.0.1'],
    endpoints: [
      {
        name: 'demo',
        hostname: HOSTNAME,
        evidenceUrl: `${at.platformUrl}/.well-known/platform-evidence`,
        evidenceCaFile: at.rootPemFile,
      },
      {
        name: 'unfetched',
        hostname: 'unfetched.localhost',
        evidenceUrl: `${at.backends.closed.replace('http:', 'https:')}/platform-evidence`,
      },
      {
        name: 'published',
        hostname: PUBLISHED,
        evidenceUrl: at.publisherUrl,
        evidenceCaFile: at.publisherPemFile,
      },
    ],
  }
}

const SECRETS_KEY = 'a-key-of-a-deployment-that-is-thrown-away'

/** The configuration file of a platform gateway. */
export function platformConfig(at: {
  readonly hostname: string
  /** What it stands in front of. */
  readonly upstream: string
  readonly dataDir: string
}): object {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    control: { host: '127.0.0.1', port: 0 },
    hostname: at.hostname,
    upstream: at.upstream,
    dataDir: at.dataDir,
    deployment: DEPLOYMENT,
    resignIntervalMs: limits.resignMs,
  }
}
