import { dirname, join, resolve } from 'node:path'
import { type Expectation, parsePin } from '#attestation'
import { limits } from '#contract/limits'
import type { components } from '#contract/types'
import { isProxyConfig } from '#contract/validators/proxy-config'
import { findTunnel } from '#egress/connection/environment.ts'
import { type Target, targetOf } from '#egress/connection/target.ts'
import { ConfigError } from '../../config/error.ts'
import { type Environment, loadConfig, type Validator, type ValidatorError } from '../../config/load.ts'
import type { ListenConfig } from '../listener/listen-config.ts'
import type { Address } from '../listener/open.ts'
import { compilePolicy } from '../policy/cel.ts'
import { DEFAULT_ADMIN, DEFAULT_LISTEN } from './defaults.ts'
import { mistakesOf } from './mistakes.ts'
import { readRoot } from './root.ts'

/** The file as it was written; its schema is spec/config/proxy.tsp. */
type ProxyFile = components['schemas']['ProxyConfig']
type EndpointFile = ProxyFile['endpoints'][number]

/** One endpoint: where it is, and what is expected of it. */
export interface EndpointConfig extends Expectation {
  readonly name: string
  readonly target: Target
  readonly listen: ListenConfig
  /** What stands before `/v1` in its base URL; mostly nothing. */
  readonly basePath: string
}

/** The proxy's configuration, checked and complete. */
export interface ProxyConfig {
  readonly dataDir: string
  /** File of the journal; none is kept when undefined. */
  readonly journal?: string | undefined
  /** Where health, metrics and the status page are; nowhere when undefined. */
  readonly admin: Address | undefined
  readonly endpoints: readonly EndpointConfig[]
}

/** Reads the proxy's configuration file. Throws `ConfigError` naming every mistake at its path. */
export function loadProxyConfig(file: string, environment: Environment): ProxyConfig {
  const folder = dirname(file)
  const written = loadConfig(file, createValidator(folder), environment) as ProxyFile
  const mistake = mistakeOf(environment)
  if (mistake !== undefined)
    throw new ConfigError(file, [{ path: 'HTTPS_PROXY', message: mistake.replace('HTTPS_PROXY ', '') }])
  const dataDir = resolve(folder, written.dataDir ?? '.data/proxy')
  const { journal = join(dataDir, 'journal.jsonl') } = written
  return {
    dataDir,
    journal: journal === false ? undefined : resolve(folder, journal),
    admin: written.admin && { ...DEFAULT_ADMIN, ...written.admin },
    endpoints: written.endpoints.map((endpoint) => complete(endpoint, folder, environment)),
  }
}

/** What is wrong with the environment; it would be found at an endpoint that needs it, wherever that is. */
function mistakeOf(environment: Environment): string | undefined {
  try {
    findTunnel(environment, { host: 'host.invalid', port: 443 })
  } catch (error) {
    return (error as Error).message
  }
  return undefined
}

/** The schema and what a schema cannot say, told together. */
function createValidator(folder: string): Validator {
  const validate: Validator = (value) => {
    const schemaErrors = isProxyConfig(value) ? [] : (isProxyConfig.errors ?? [])
    const told = new Set(schemaErrors.map(({ instancePath }) => instancePath))
    const mistakes = mistakesOf(value, folder).filter(({ instancePath }) => !told.has(instancePath))
    validate.errors = [...schemaErrors.map(inWords), ...mistakes]
    return validate.errors.length === 0
  }
  return validate
}

/** What a regular expression of the schema asks for, where people are likely to miss it. */
const asked: readonly (readonly [RegExp, string])[] = [
  [/\/url$/, 'must be an https address that ends in /v1'],
  [/\/pins\/\d+$/, 'must be a digest such as sha256:<64 hexadecimal digits>'],
]

function inWords(error: ValidatorError): ValidatorError {
  if (error.keyword !== 'pattern') return error
  const [, message = error.message] = asked.find(([path]) => path.test(error.instancePath)) ?? []
  return { ...error, ...(message !== undefined && { message }) }
}

function complete(
  { name, url, hostname, listen, ...rest }: EndpointFile,
  folder: string,
  environment: Environment,
): EndpointConfig {
  const address = new URL(url)
  return {
    name,
    listen: {
      host: listen?.host ?? DEFAULT_LISTEN.host,
      port: listen?.port ?? DEFAULT_LISTEN.port,
      origins: listen?.origins ?? [],
      token: listen?.token,
      ...(listen?.socket !== undefined && { socket: resolve(folder, listen.socket) }),
    },
    target: targetOf(address, hostname, environment),
    basePath: address.pathname.replace(/\/v1$/, ''),
    roots: rest.roots.map(({ file, requireLeafName = true, attested }) =>
      readRoot(resolve(folder, file), { requireLeafName, attested: attested?.measurements }),
    ),
    pins: rest.pins.map(parsePin),
    policies: (rest.policies ?? []).map(({ name: called, allow }) => compilePolicy(called, allow)),
    maxBundleAgeMs: rest.maxBundleAgeMs ?? limits.maxBundleAgeMs,
  }
}
