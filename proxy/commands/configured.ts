import { UsageError } from '#base/command.ts'
import { type EndpointConfig, loadProxyConfig, type ProxyConfig } from '../config/proxy.ts'
import { partsOf } from '../journal/parts.ts'

/** Options of the commands that are about what a configuration names. */
export interface ConfiguredOptions {
  readonly config: string
  readonly endpoint?: string
}

/** Reads the configuration and chooses the endpoint that a command is about; it must be named when there are several. */
export function chooseEndpoint({ config: file, endpoint: name }: ConfiguredOptions): {
  readonly config: ProxyConfig
  readonly endpoint: EndpointConfig
} {
  const config = loadProxyConfig(file, process.env)
  const [endpoint, ...others] = endpointsOf(config, name)
  if (endpoint !== undefined && others.length === 0) return { config, endpoint }
  throw new UsageError(`--endpoint is missing: ${file} has ${namesOf(config)}.`)
}

/** All endpoints of a configuration, or the one that was named. */
export function endpointsOf(config: ProxyConfig, name: string | undefined): readonly EndpointConfig[] {
  if (name === undefined) return config.endpoints
  const found = config.endpoints.filter((endpoint) => endpoint.name === name)
  if (found.length > 0) return found
  throw new UsageError(`--endpoint "${name}" is not in the configuration: there is ${namesOf(config)}.`)
}

/** The journal that a configuration names; throws when none is kept, or when nothing has been written yet. */
export function journalOf({ journal }: ProxyConfig, file: string): string {
  if (journal !== undefined) return existing(journal)
  throw new Error(
    `No journal is kept: ${file} says \`journal: false\`. Take that out to keep one from now on.`,
  )
}

/** Passes the file of a journal that is there, be it only a file that it goes on in. */
export function existing(journal: string): string {
  if (partsOf(journal).length > 0) return journal
  throw new Error(`There is no journal at ${journal}. \`proxy run\` begins one.`)
}

function namesOf({ endpoints }: ProxyConfig): string {
  return endpoints.map(({ name }) => name).join(', ')
}
