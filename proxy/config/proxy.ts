import { dirname, resolve } from 'node:path'
import { parseDigest } from '#attestation'
import { type components, limits, validators } from '#contract'
import { targetOf } from '#egress/connection/target.ts'
import type { Approval } from '#egress/evidence/attest.ts'
import { type Environment, loadConfig, type Validator } from '../../config/load.ts'
import type { GuardOptions } from '../listener/guard.ts'
import { DEFAULT_LISTEN } from './defaults.ts'
import { mistakesOf } from './mistakes.ts'
import { readRoot } from './root.ts'

/** The file as it was written; its schema is spec/config/proxy.tsp. */
type ProxyFile = components['schemas']['ProxyConfig']
type EndpointFile = ProxyFile['endpoints'][number]

/** Where clients connect, and which of them may. Port 0 takes a free one. */
export interface ListenConfig extends GuardOptions {
  readonly host: string
  readonly port: number
}

/** One endpoint: where it is, and what is expected of it. */
export interface EndpointConfig extends Approval {
  readonly name: string
  readonly listen: ListenConfig
  /** What stands before `/v1` in its base URL; mostly nothing. */
  readonly basePath: string
}

/** The proxy's configuration, checked and complete. */
export interface ProxyConfig {
  readonly dataDir: string
  readonly endpoints: readonly EndpointConfig[]
}

/** Reads the proxy's configuration file. Throws `ConfigError` naming every mistake at its path. */
export function loadProxyConfig(file: string, environment: Environment): ProxyConfig {
  const folder = dirname(file)
  const written = loadConfig(file, createValidator(folder), environment) as ProxyFile
  return {
    dataDir: resolve(folder, written.dataDir ?? '.data/proxy'),
    endpoints: written.endpoints.map((endpoint) => complete(endpoint, folder)),
  }
}

/** The schema and what a schema cannot say, told together. */
function createValidator(folder: string): Validator {
  const validate: Validator = (value) => {
    const schemaErrors = validators.proxyConfig(value) ? [] : (validators.proxyConfig.errors ?? [])
    const told = new Set(schemaErrors.map(({ instancePath }) => instancePath))
    const mistakes = mistakesOf(value, folder).filter(({ instancePath }) => !told.has(instancePath))
    validate.errors = [...schemaErrors, ...mistakes]
    return validate.errors.length === 0
  }
  return validate
}

function complete({ name, url, hostname, listen, ...rest }: EndpointFile, folder: string): EndpointConfig {
  const address = new URL(url)
  return {
    name,
    listen: {
      host: listen?.host ?? DEFAULT_LISTEN.host,
      port: listen?.port ?? DEFAULT_LISTEN.port,
      origins: listen?.origins ?? [],
      token: listen?.token,
    },
    target: targetOf(address, hostname),
    basePath: address.pathname.replace(/\/v1$/, ''),
    roots: rest.roots.map((root) => readRoot(resolve(folder, root.file), root.requireLeafName)),
    pins: rest.pins.map(parseDigest),
    maxBundleAgeMs: rest.maxBundleAgeMs ?? limits.maxBundleAgeMs,
  }
}
