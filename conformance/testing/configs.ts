import { fileURLToPath } from 'node:url'
import { features, HOSTNAME, limits, modelsFor, ORIGIN, targetModels } from './deployment.ts'

/** What is published as deployed: the sample. */
const DEPLOYMENT = fileURLToPath(new URL('../../platform/demo-deployment', import.meta.url))

/** The router's configuration file. */
export function routerConfig(at: {
  readonly port: number
  readonly backendUrl: string
  readonly closedPort: number
  readonly platformUrl: string
  readonly rootPemFile: string
}): object {
  const { pingMs, firstByteMs, idleMs, stalledClientMs, evidencePollMs } = limits
  return {
    listen: { host: '127.0.0.1', port: at.port },
    publicBaseUrl: `https://${HOSTNAME}/v1`,
    testControl: { host: '127.0.0.1', port: 0 },
    limits: { maxBodyBytes: limits.maxBodyBytes },
    timers: { pingMs, firstByteMs, idleMs, stalledClientMs, evidencePollMs, drainMs: 1_000 },
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
        evidenceUrl: `https://127.0.0.1:${at.closedPort}/.well-known/platform-evidence`,
      },
    ],
    models: modelsFor(at.backendUrl, `http://127.0.0.1:${at.closedPort}/v1`),
  }
}

/** The platform gateway's configuration file. */
export function platformConfig(at: { readonly routerPort: number; readonly dataDir: string }): object {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    control: { host: '127.0.0.1', port: 0 },
    hostname: HOSTNAME,
    upstream: `http://127.0.0.1:${at.routerPort}`,
    dataDir: at.dataDir,
    deployment: DEPLOYMENT,
    resignIntervalMs: limits.resignMs,
  }
}

/** The verifying proxy's configuration file. */
export function proxyConfig(at: {
  readonly platformUrl: string
  readonly rootPemFile: string
  readonly pin: string
  readonly dataDir: string
}): object {
  return {
    dataDir: at.dataDir,
    endpoints: [
      {
        name: 'demo',
        listen: { host: '127.0.0.1', port: 0, origins: [ORIGIN] },
        url: `${at.platformUrl}/v1`,
        hostname: HOSTNAME,
        roots: [{ file: at.rootPemFile }],
        pins: [at.pin],
      },
    ],
  }
}

const HOOKS = [
  'createWorkspace',
  'createKey',
  'updateKey',
  'revokeKey',
  'setBalance',
  'ledger',
  'verifyLedger',
]

/** The target file that describes all of it. */
export function targetConfig(at: {
  readonly routerPort: number
  readonly proxyAddress: string
  readonly platformUrl: string
  readonly rootPemFile: string
  readonly controlUrl: string
  readonly backendControlUrl: string
  readonly platformControlUrl: string
}): object {
  return {
    product: { name: 'reference' },
    profiles: ['router', 'proxy', 'platform'],
    claims: ['given', 'chosen'],
    baseUrl: `http://127.0.0.1:${at.routerPort}/v1`,
    proxyUrl: at.proxyAddress,
    platformUrl: at.platformUrl,
    platformHostname: HOSTNAME,
    caFile: at.rootPemFile,
    features,
    models: targetModels,
    endpoints: { own: 'demo', unfetched: 'unfetched' },
    corsOrigin: ORIGIN,
    believesForwarded: true,
    limits,
    // Two busy cores.
    timing: { slack: 3 },
    hooks: {
      ...Object.fromEntries(HOOKS.map((name) => [name, { url: `${at.controlUrl}/${name}` }])),
      backendScript: { url: at.backendControlUrl },
      platformControl: { url: at.platformControlUrl },
    },
  }
}
