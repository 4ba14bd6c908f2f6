import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { limits } from '#contract/limits'
import type { ConformanceFeature, ConformanceProfile, ConformanceTarget, HookConfig } from '#contract/models'
import { isConformanceTarget } from '#contract/validators/conformance-target'
import { ConfigError } from '../../config/error.ts'
import { type Environment, loadConfig } from '../../config/load.ts'
import type { Origin } from './rules.ts'
import { mistakesOf } from './target-mistakes.ts'

/** Where a scenario runs: at the router, through the proxy in front of it, at the platform of its endpoint, or at its console. */
export type Subject = ConformanceProfile

/** Names that a target file can fill. */
export type FixtureKey = keyof NonNullable<ConformanceTarget['keys']>
export type ModelName = keyof ConformanceTarget['models']
export type EndpointName = keyof NonNullable<ConformanceTarget['endpoints']>
export type HookName = keyof NonNullable<ConformanceTarget['hooks']>

/** What the deployment is configured with. */
export type Limits = Required<Omit<NonNullable<ConformanceTarget['limits']>, 'maxRequests'>> &
  Pick<NonNullable<ConformanceTarget['limits']>, 'maxRequests'>

/** A case that is known to fail. */
export interface ExpectedFailure {
  readonly scenario: string
  readonly subject?: Subject
  /** The rule whose check is known to fail; any when left out. */
  readonly check?: string
  readonly reason: string
  readonly until?: string
}

/** Where a platform is, and the name that it goes by. */
export interface PlatformAddress {
  readonly url: string
  readonly hostname: string
}

/** A target file, checked and complete. */
export interface Target {
  readonly product: ConformanceTarget['product']
  readonly profiles: readonly Subject[]
  readonly claims: readonly Origin[]
  readonly baseUrl: string
  readonly proxyUrl: string | undefined
  /** A listener of the proxy that is open to other machines, and what it asks for. */
  readonly openProxy: { readonly url: string; readonly token: string } | undefined
  /** The path of a Unix socket of the proxy. */
  readonly proxySocket: string | undefined
  /** Another router on the same database; the file's schema tells how it differs. */
  readonly siblingUrl: string | undefined
  readonly siblingAdminUrl: string | undefined
  /** A third router on that database, of whose own endpoint no evidence could be fetched. */
  readonly spareUrl: string | undefined
  /** The console's API, with `/console/api`. */
  readonly consoleUrl: string | undefined
  /** The address of an administrator. */
  readonly administrator: string | undefined
  /** A page of the proxy for people. */
  readonly proxyPageUrl: string | undefined
  readonly platform: PlatformAddress | undefined
  /** Headers that go with every request to the product. */
  readonly headers: Readonly<Record<string, string>>
  /** Trusted certificates, in PEM, beside the system's. */
  readonly ca: string | undefined
  readonly features: ReadonlySet<ConformanceFeature>
  readonly keys: Readonly<Partial<Record<FixtureKey, string>>>
  readonly models: Readonly<Partial<Record<ModelName, string>>> & { readonly chat: string }
  readonly endpoints: Readonly<Partial<Record<EndpointName, string>>>
  readonly corsOrigin: string | undefined
  readonly mayGenerate: boolean
  /** Whether the router believes the `X-Forwarded-For` of the suite. */
  readonly believesForwarded: boolean
  readonly limits: Limits
  /** Allowed times are this many times as long. */
  readonly slack: number
  readonly expectedFailures: readonly ExpectedFailure[]
  /** Announced failures whose last day is over: they are told, and excuse nothing. */
  readonly overdue: readonly ExpectedFailure[]
  readonly hooks: Readonly<Partial<Record<HookName, HookConfig>>>
  /** The verifier that comes with the proxy, and whether it is the proxy's own. */
  readonly verifier: ConformanceTarget['verifier']
}

/** Reads a target file; a failure that was announced until yesterday is none any more. Throws `ConfigError` with every mistake in it. */
export function loadTarget(file: string, environment: Environment, now = new Date()): Target {
  const today = now.toISOString().slice(0, 'yyyy-mm-dd'.length)
  const written = loadConfig<ConformanceTarget>(file, isConformanceTarget, environment, mistakesOf)
  const {
    caFile,
    proxyUrl,
    siblingUrl,
    spareUrl,
    keys = {},
    endpoints = {},
    corsOrigin,
    hooks = {},
  } = written
  return {
    product: written.product,
    profiles: written.profiles,
    claims: written.claims ?? ['given'],
    baseUrl: written.baseUrl,
    proxyUrl,
    openProxy: openProxyOf(written),
    proxySocket: written.proxySocket,
    siblingUrl,
    siblingAdminUrl: written.siblingAdminUrl,
    spareUrl,
    consoleUrl: written.consoleUrl,
    administrator: written.administrator,
    proxyPageUrl: written.proxyPageUrl,
    platform: platformOf(written),
    headers: (written.headers ?? {}) as Target['headers'],
    ca: caFile === undefined ? undefined : certificatesIn(file, caFile),
    features: new Set(written.features ?? []),
    keys,
    models: written.models,
    endpoints,
    corsOrigin,
    mayGenerate: written.mayGenerate ?? false,
    believesForwarded: written.believesForwarded ?? false,
    limits: { ...production, ...written.limits },
    slack: written.timing?.slack ?? 1,
    expectedFailures: (written.expectedFailures ?? []).filter(({ until = today }) => today <= until),
    overdue: (written.expectedFailures ?? []).filter(({ until = today }) => today > until),
    hooks,
    verifier: written.verifier,
  }
}

/** The certificates of `caFile`, which lies beside the target file. Throws a `ConfigError` for a file without any. */
function certificatesIn(file: string, caFile: string): string {
  const refuse = (message: string) => new ConfigError(file, [{ path: 'caFile', message }])
  let text: string
  try {
    text = readFileSync(resolve(dirname(file), caFile), 'utf8')
    new X509Certificate(text)
  } catch (cause) {
    throw refuse(`cannot be read (${(cause as Error).message})`)
  }
  return text
}

function openProxyOf({ openProxyUrl: url, openProxyToken: token }: ConformanceTarget): Target['openProxy'] {
  return url === undefined || token === undefined ? undefined : { url, token }
}

function platformOf({ platformUrl, platformHostname }: ConformanceTarget): PlatformAddress | undefined {
  if (platformUrl === undefined) return undefined
  return { url: platformUrl, hostname: platformHostname ?? new URL(platformUrl).hostname }
}

/** What a deployment has that says nothing else. */
const production: Limits = {
  maxBodyBytes: limits.maxBodyBytes,
  bodyMemoryBytes: limits.bodyMemoryBytes,
  pingMs: limits.pingIntervalMs,
  firstByteMs: limits.firstByteTimeoutMs,
  idleMs: limits.idleTimeoutMs,
  stalledClientMs: limits.stalledClientMs,
  templateTokens: limits.defaultTemplateTokens,
  requestsPerMinute: limits.requestsPerMinute,
  tokensPerMinute: limits.tokensPerMinute,
  drainMs: limits.drainMs,
  evidencePollMs: limits.ownBundlePollMs,
  // "Every few minutes" (BNDL-05).
  resignMs: 300_000,
}
