import { readFileSync } from 'node:fs'
import type { HardwareCondition } from '#attestation'
import type { AttestedRootConfig } from '#contract/models'
import { isAttestedRootConfig } from '#contract/validators/attested-root-config'
import { loadConfig } from '../../config/load.ts'
import { registerUpstream } from '../administration/upstreams.ts'
import { loadRouterConfig } from '../config/router.ts'
import { readSecretsKey } from '../config/secrets-key.ts'
import type { NewUpstream } from '../upstreams/administration.ts'
import { readUpstream as readWrittenUpstream, UnusableUpstream } from '../upstreams/new-upstream.ts'
import { type ActOptions, actorOf } from './actor.ts'
import { withDatabase } from './database.ts'
import { print } from './output.ts'
import { toUpstreamDocument } from './upstream.ts'
import { UsageError } from './usage.ts'

/** What `router upstream add` takes. */
export interface AddOptions extends ActOptions {
  readonly url: string
  readonly hostname?: string
  readonly root: readonly string[]
  readonly leafName: boolean
  /** A file that begins with `measurements:`, as the proxy takes it. */
  readonly attested?: string
  readonly pin?: readonly string[]
  readonly apiKeyEnv?: string
  readonly replace?: true
}

/** `router upstream add`: registers an external endpoint. Its key comes from the environment and is never shown. */
export async function add(name: string, options: AddOptions): Promise<void> {
  const config = loadRouterConfig(options.config, process.env)
  if (config.endpoints.some((own) => own.name === name || own.hostname === name)) {
    throw new UsageError(`${name} is an endpoint of this router's own.`)
  }
  const upstream = readUpstream(name, options)
  const actor = actorOf(options)
  const registered = await withDatabase(options.config, (sql) =>
    registerUpstream(sql, actor, upstream, {
      secret: () => readSecretsKey(config),
      replace: options.replace === true,
    }),
  )
  if (!registered) throw new Error(`There is an upstream ${name} already; --replace registers it anew.`)
  const isUsed = config.models.some((model) => 'upstream' in model && model.upstream.name === name)
  print(options, toUpstreamDocument(registered), [
    `${name} is registered.`,
    ...(registered.pins.length > 0 ? [] : [`Nothing is admitted yet: router upstream pin ${name} <digest>`]),
    ...(isUsed ? [] : [`No model names it yet: endpoint: ${name} and upstream: {} in ${options.config}`]),
  ])
}

/** Reads what was said of a new upstream. Throws `UsageError` naming what cannot be used. */
export function readUpstream(name: string, options: AddOptions): NewUpstream {
  const { url, hostname, root, leafName: requireLeafName, pin: pins = [], apiKeyEnv } = options
  const roots = root.map(readFile)
  const attested = options.attested === undefined ? undefined : readConditions(options.attested)
  const apiKey = apiKeyEnv === undefined ? undefined : readApiKey(apiKeyEnv)
  try {
    return readWrittenUpstream({ name, url, hostname, roots, requireLeafName, attested, pins, apiKey })
  } catch (thrown) {
    if (!(thrown instanceof UnusableUpstream)) throw thrown
    const { part, index, message } = thrown
    const words = {
      name: `The name ${message}`,
      url: `--url ${message}`,
      hostname: `--hostname ${message}`,
      roots: `--root ${root[index]}: ${message}`,
      requireLeafName: message,
      attested: message,
      pins: `--pin: ${message}`,
      apiKey: `${apiKeyEnv} ${message}`,
    }
    throw new UsageError(words[part], { cause: thrown })
  }
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new UsageError(`--root ${file}: ${(cause as Error).message}`, { cause })
  }
}

/** Throws `ConfigError` with every mistake. */
function readConditions(file: string): readonly HardwareCondition[] {
  return loadConfig<AttestedRootConfig>(file, isAttestedRootConfig, process.env).measurements
}

function readApiKey(variable: string): string {
  const apiKey = process.env[variable]
  if (!apiKey) throw new UsageError(`--api-key-env: the environment variable ${variable} is not set.`)
  return apiKey
}
