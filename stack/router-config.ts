import { writeConfig } from './config-file.ts'
import type { RealBackend } from './options.ts'
import { OWNER } from './owner.ts'
import type { Places } from './places.ts'
import { HOSTNAME } from './platform-config.ts'

/** What the demo's model is called at the stand-in. */
export const STAND_IN_MODEL = 'tiny-chat'

/** The demo's model; micro-dollars per million tokens. */
export const demoModel = {
  id: 'demo/tiny-chat',
  name: 'Tiny Chat',
  contextLength: 32_768,
  pricing: { promptPer1mMicros: 150_000, completionPer1mMicros: 600_000 },
} as const

// Ours: a person who presses Ctrl-C waits for running streams this long.
const DRAIN_MS = 5_000
// Ours: a rotation shows within a moment.
const EVIDENCE_POLL_MS = 2_000
// 2026-01-01T00:00:00Z.
const CREATED = 1_767_225_600

/** What the router of this stack is told. */
export interface RouterSettings {
  readonly port: number
  /** Of health and metrics. */
  readonly adminPort: number
  /** Of the page that shows the console's mails. */
  readonly outboxPort: number
  readonly platformPort: number
  readonly backendUrl: string
  readonly real: RealBackend | undefined
}

/** The model's id at the router. */
export function modelIdOf(real: RealBackend | undefined): string {
  return real?.model ?? demoModel.id
}

/** Writes the router's configuration file. */
export function writeRouterConfig(places: Places, settings: RouterSettings): void {
  writeConfig(places.routerConfig, describe(places, settings))
}

function describe(
  { dataDir, rootPem }: Places,
  { port, adminPort, outboxPort, platformPort, backendUrl, real }: RouterSettings,
): object {
  const endpoint = real ? 'backend' : 'demo'
  const backend = real
    ? { url: backendUrl, model: real.model, apiKey: `\${BACKEND_KEY:-}` }
    : { url: backendUrl, model: STAND_IN_MODEL }
  const { id, name, ...limits } = demoModel
  return {
    listen: { host: '127.0.0.1', port },
    admin: { host: '127.0.0.1', port: adminPort },
    publicBaseUrl: `http://127.0.0.1:${port}/v1`,
    dataDir,
    database: { url: `\${DATABASE_URL:-}` },
    timers: { drainMs: DRAIN_MS, evidencePollMs: EVIDENCE_POLL_MS },
    cors: { origins: ['*'] },
    console: { administrators: [OWNER], outbox: { host: '127.0.0.1', port: outboxPort } },
    // The platform says whom it forwards for.
    trustedProxies: ['127.0.0.1'],
    endpoints: [
      {
        name: endpoint,
        hostname: HOSTNAME,
        evidenceUrl: `https://127.0.0.1:${platformPort}/.well-known/platform-evidence`,
        evidenceCaFile: rootPem,
      },
    ],
    models: [
      {
        ...(real ? { id: real.model, name: real.model } : { id, name }),
        ownedBy: endpoint,
        created: CREATED,
        ...limits,
        // How long a real model's context is nobody knows here: with this, no cap is sent that it might refuse.
        ...(real ? { maxOutputTokens: demoModel.contextLength } : {}),
        capabilities: ['chat'],
        endpoint,
        backends: [backend],
      },
    ],
  }
}
