import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseRoots } from '#attestation'
import { loadRouterConfig } from '../config/router.ts'
import { readSecretsKey } from '../config/secrets-key.ts'
import { addUpstream, type NewUpstream } from '../upstreams/administration.ts'
import { withDatabase } from './database.ts'
import { type CommonOptions, print } from './output.ts'
import { parsePins } from './pins.ts'
import { toUpstreamDocument } from './upstream.ts'
import { UsageError } from './usage.ts'

/** What `router upstream add` takes. */
export interface AddOptions extends CommonOptions {
  readonly url: string
  readonly hostname?: string
  readonly root: readonly string[]
  readonly leafName: boolean
  readonly pin?: readonly string[]
  readonly apiKeyEnv?: string
  readonly replace?: true
}

/** As the contract has it for all endpoints. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

/** `router upstream add`: registers an external endpoint. Its key comes from the environment and is never shown. */
export async function add(name: string, options: AddOptions): Promise<void> {
  const config = loadRouterConfig(options.config, process.env)
  if (config.endpoints.some((own) => own.name === name || own.hostname === name)) {
    throw new UsageError(`${name} is an endpoint of this router's own.`)
  }
  const upstream = readUpstream(name, options)
  const registered = await withDatabase(options.config, (sql) =>
    addUpstream(sql, upstream, { secret: () => readSecretsKey(config), replace: options.replace === true }),
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
  if (!NAME.test(name))
    throw new UsageError('The name must have up to 63 letters, digits, dots, dashes or _.')
  const url = URL.parse(options.url)
  if (url?.protocol !== 'https:' || !/^[^?#]*\/v1\/?$/.test(url.href)) {
    throw new UsageError('--url must be an https address that ends in /v1.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--url is shown to everybody who lists upstreams: give a key with --api-key-env.')
  }
  return {
    name,
    url: url.href.replace(/\/$/, ''),
    hostname: (options.hostname ?? url.hostname.replace(/^\[|\]$/g, '')).toLowerCase(),
    roots: readRoots(options.root),
    requireLeafName: options.leafName,
    pins: parsePins('--pin', options.pin ?? []),
    apiKey: options.apiKeyEnv === undefined ? undefined : readApiKey(options.apiKeyEnv),
  }
}

/** The certificates alone: whatever else such a file holds, a private key even, has no place in the table. */
function readRoots(files: readonly string[]): string {
  return files
    .flatMap((file) => {
      try {
        const roots = parseRoots(readFileSync(file, 'utf8'))
        return roots.map(({ der }) => new X509Certificate(der).toString())
      } catch (cause) {
        throw new UsageError(`--root ${file}: ${(cause as Error).message}`, { cause })
      }
    })
    .join('')
}

function readApiKey(variable: string): string {
  const apiKey = process.env[variable]
  if (!apiKey) throw new UsageError(`--api-key-env: the environment variable ${variable} is not set.`)
  // It becomes a header.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new UsageError(`${variable} does not hold a key.`)
  return apiKey
}
