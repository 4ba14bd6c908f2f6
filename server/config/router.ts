import { dirname, resolve } from 'node:path'
import { limits } from '#contract/limits'
import { routes } from '#contract/routes'
import type { components } from '#contract/types'
import { isRouterConfig } from '#contract/validators/router-config'
import { type Environment, loadConfig } from '../../config/load.ts'
import type { DefaultLimits } from '../limits/buckets.ts'
import type { RedisConfig } from '../limits/open.ts'
import type { Operation } from '../operation.ts'
import type { TracesConfig } from '../tracing/traces-config.ts'
import { type ConsoleConfig, completeConsole } from './console.ts'
import { contradictions } from './contradictions.ts'

/** The file as it was written; its schema is spec/config/router.tsp. */
type RouterFile = components['schemas']['RouterConfig']
type ModelFile = RouterFile['models'][number]
type EndpointFile = RouterFile['endpoints'][number]

/** Where the router listens. Port 0 takes a free one. */
export interface Listen {
  readonly host: string
  readonly port: number
}

/** One OpenAI-compatible server that can serve a model. */
export interface BackendConfig {
  /** Base URL with its `/v1`, without a trailing slash. */
  readonly url: string
  /** The model's name at the backend. */
  readonly model: string
  readonly apiKey: string | undefined
  /** Its share of the requests. */
  readonly weight?: number | undefined
  /** `continuous`: the backend reports usage on every chunk when asked (RLAY-03). */
  readonly usage: 'final' | 'continuous'
  /** Where it counts the tokens of a prompt before anything is sent to it; undefined: nowhere. */
  readonly tokenizeUrl?: string | undefined
}

/** One model with every default filled in. Token counts and micro-dollars per million tokens. */
export interface ModelConfig {
  readonly id: string
  readonly name: string
  readonly ownedBy: string
  readonly created: number
  readonly contextLength: number
  readonly maxOutputTokens: number
  readonly templateTokens: number
  /** What an image, or a piece of audio, in a prompt counts where no backend tells. */
  readonly imageTokens?: number
  readonly audioTokens?: number
  readonly pricing: { readonly promptMicros: number; readonly completionMicros: number }
  readonly capabilities: readonly Operation[]
  /** Ids of the models that serve in its place when no backend of its own can. */
  readonly fallbacks?: readonly string[]
  readonly endpoint: EndpointConfig
  readonly backends: readonly BackendConfig[]
}

/** A model that an external upstream serves; where that is, its registration says. */
export interface UpstreamModelConfig extends Omit<ModelConfig, 'endpoint' | 'backends'> {
  readonly upstream: {
    /** The upstream's name, which a registration may or may not have. */
    readonly name: string
    /** The model's name there. */
    readonly model: string
    readonly usage: 'final' | 'continuous'
  }
}

/** What requests may name. */
export type ServedModel = ModelConfig | UpstreamModelConfig

/** Whether an external upstream serves a model. */
export function isExternal(model: ServedModel): model is UpstreamModelConfig {
  return 'upstream' in model
}

/** Where a bundle is fetched from. */
export interface EvidenceSource {
  /** What the certificate there must be for, wherever the address leads. */
  readonly hostname: string
  readonly url: string
  /** PEM file of the authority to believe; the system's when undefined. Read at each fetch: it may come later. */
  readonly caFile: string | undefined
}

/** An own endpoint: a name and the hostname its evidence is for. */
export interface EndpointConfig {
  readonly name: string
  readonly hostname: string
  /** Where its bundle is read from. */
  readonly evidence: EvidenceSource
}

/** A database beside the home, by its name. */
export interface CellConfig {
  readonly name: string
  readonly url: string
}

/** The router's configuration, checked and complete. Times in milliseconds, sizes in bytes. */
export interface RouterConfig {
  readonly listen: Listen
  /** Where health and metrics are served; undefined: nowhere. */
  readonly admin?: Listen
  readonly publicBaseUrl: string
  readonly dataDir: string
  /** What stored secrets are encrypted under; undefined: one of this router's own, in `dataDir`. */
  readonly secretsKey?: string | undefined
  /** What they may still be encrypted under (OPS-28). */
  readonly previousSecretsKeys?: readonly string[]
  readonly database: {
    readonly url: string | undefined
    readonly preparedStatements: boolean
    readonly maxConnections: number
    /** Further databases in which workspaces live; absent: there is one. */
    readonly cells?: readonly CellConfig[]
  }
  /** Where several routers share their rate buckets. */
  readonly redis: RedisConfig
  readonly allowOverdraftMicros: bigint
  /** Sizes, and what a minute allows each workspace and each key without values of its own. */
  readonly limits: DefaultLimits & {
    readonly maxBodyBytes: number
    readonly maxHeaderBytes: number
    readonly bodyMemoryBytes: number
    /** Largest event of a backend's stream. */
    readonly maxEventBytes: number
    /** Connections of clients at a time. */
    readonly maxConnections: number
    /** Requests for inference at a time. */
    readonly maxRequests: number
    /** So many of them may wait to be judged or settled, however long that takes, and six times as many at most. */
    readonly leastJudged: number
  }
  readonly timers: {
    readonly connectMs: number
    readonly firstByteMs: number
    readonly idleMs: number
    readonly pingMs: number
    readonly stalledClientMs: number
    readonly notReadyMs: number
    readonly drainMs: number
    readonly evidencePollMs: number
  }
  readonly corsOrigins: readonly string[]
  /** Where these documents are published, without a slash at its end; undefined: nowhere. */
  readonly docsUrl?: string
  /** Where traces are sent; undefined: none are made (OPS-23). */
  readonly traces?: TracesConfig
  /** Where people look after their accounts; undefined: nowhere (CONS-56). */
  readonly console?: ConsoleConfig
  /** Peers whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  readonly endpoints: readonly EndpointConfig[]
  readonly models: readonly ServedModel[]
  /** Where a test may control this router; on loopback, never in production. */
  readonly testControl?: Listen
}

/** Where OpenTelemetry's exporters for Prometheus are looked for (ours). */
const ADMIN_PORT = 9464

/** Of the requests whose callers do not trace (ours). */
const TRACED_RATIO = 0.1

/** Reads the router's configuration file. Throws `ConfigError` naming every mistake at its path. */
export function loadRouterConfig(file: string, environment: Environment): RouterConfig {
  const written = loadConfig(file, isRouterConfig, environment, contradictions)
  const endpoints = written.endpoints.map((endpoint) => completeEndpoint(endpoint, dirname(file)))
  const listen = { host: written.listen?.host ?? '127.0.0.1', port: written.listen?.port ?? 8080 }
  const publicBaseUrl = written.publicBaseUrl ?? `http://${listen.host}:${listen.port}/v1`
  return {
    listen,
    publicBaseUrl,
    dataDir: resolve(dirname(file), written.dataDir ?? '.data'),
    secretsKey: written.secretsKey,
    previousSecretsKeys: written.previousSecretsKeys ?? [],
    database: {
      url: written.database?.url || undefined,
      preparedStatements: written.database?.preparedStatements ?? true,
      maxConnections: written.database?.maxConnections ?? 8,
      ...(written.database?.cells?.length && { cells: written.database.cells }),
    },
    redis: { url: written.redis?.url || undefined, fallback: written.redis?.fallback ?? 'memory' },
    allowOverdraftMicros: BigInt(written.allowOverdraftMicros ?? limits.allowOverdraftMicros),
    limits: {
      maxBodyBytes: written.limits?.maxBodyBytes ?? limits.maxBodyBytes,
      bodyMemoryBytes: written.limits?.bodyMemoryBytes ?? limits.bodyMemoryBytes,
      maxEventBytes: written.limits?.maxEventBytes ?? limits.maxEventBytes,
      maxHeaderBytes: written.limits?.maxHeaderBytes ?? limits.maxHeaderBytes,
      maxConnections: written.limits?.maxConnections ?? limits.maxConnections,
      maxRequests: written.limits?.maxRequests ?? limits.maxRequests,
      leastJudged: written.limits?.leastJudged ?? limits.leastJudged,
      requestsPerMinute: written.limits?.requestsPerMinute ?? limits.requestsPerMinute,
      tokensPerMinute: written.limits?.tokensPerMinute ?? limits.tokensPerMinute,
    },
    timers: {
      connectMs: written.timers?.connectMs ?? limits.connectTimeoutMs,
      firstByteMs: written.timers?.firstByteMs ?? limits.firstByteTimeoutMs,
      idleMs: written.timers?.idleMs ?? limits.idleTimeoutMs,
      pingMs: written.timers?.pingMs ?? limits.pingIntervalMs,
      stalledClientMs: written.timers?.stalledClientMs ?? limits.stalledClientMs,
      notReadyMs: written.timers?.notReadyMs ?? 0,
      drainMs: written.timers?.drainMs ?? limits.drainMs,
      evidencePollMs: written.timers?.evidencePollMs ?? limits.ownBundlePollMs,
    },
    corsOrigins: written.cors?.origins ?? [],
    ...(written.docsUrl && { docsUrl: written.docsUrl.replace(/\/+$/, '') }),
    ...(written.traces && {
      traces: {
        url: written.traces.url,
        ratio: written.traces.ratio ?? TRACED_RATIO,
        authorization: written.traces.authorization || undefined,
      },
    }),
    trustedProxies: written.trustedProxies ?? [],
    endpoints,
    models: written.models.map((model) => completeModel(model, endpoints)),
    ...(typeof written.console === 'object' && {
      console: completeConsole(written.console, publicBaseUrl, dirname(file)),
    }),
    ...(written.admin && {
      admin: { host: written.admin.host ?? '127.0.0.1', port: written.admin.port ?? ADMIN_PORT },
    }),
    ...(written.testControl && {
      testControl: { host: written.testControl.host ?? '127.0.0.1', port: written.testControl.port ?? 0 },
    }),
  }
}

function completeEndpoint(endpoint: EndpointFile, folder: string): EndpointConfig {
  const { name, hostname, evidenceCaFile } = endpoint
  const url = endpoint.evidenceUrl ?? `https://${hostname}${routes.getPlatformEvidence.path}`
  return {
    name,
    hostname,
    evidence: { hostname, url, caFile: evidenceCaFile && resolve(folder, evidenceCaFile) },
  }
}

function completeModel(model: ModelFile, endpoints: readonly EndpointConfig[]): ServedModel {
  const { id, contextLength } = model
  const shared = {
    id,
    name: model.name ?? id,
    ownedBy: model.ownedBy ?? 'router',
    created: model.created ?? 0,
    contextLength,
    maxOutputTokens: model.maxOutputTokens ?? Math.min(contextLength, limits.defaultMaxOutputTokens),
    templateTokens: model.templateTokens ?? limits.defaultTemplateTokens,
    imageTokens: model.imageTokens ?? 0,
    audioTokens: model.audioTokens ?? 0,
    pricing: {
      promptMicros: model.pricing.promptPer1mMicros,
      completionMicros: model.pricing.completionPer1mMicros,
    },
    capabilities: model.capabilities ?? (['chat'] as const),
    ...(model.fallbacks && { fallbacks: model.fallbacks }),
  }
  const { upstream } = model
  if (upstream !== undefined) {
    const { model: there = id, usage = 'final' } = upstream
    return { ...shared, upstream: { name: model.endpoint, model: there, usage } }
  }
  return {
    ...shared,
    endpoint: endpoints.find(({ name }) => name === model.endpoint)!,
    backends: model.backends!.map((backend) => ({
      url: backend.url.replace(/\/+$/, ''),
      model: backend.model ?? id,
      apiKey: backend.apiKey || undefined,
      usage: backend.usage ?? 'final',
      weight: backend.weight ?? 1,
      tokenizeUrl: backend.tokenizeUrl,
    })),
  }
}
