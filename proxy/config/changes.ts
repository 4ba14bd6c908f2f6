import { isDeepStrictEqual } from 'node:util'
import type { EndpointConfig, ProxyConfig } from './proxy.ts'

/** The settings that a running proxy cannot take up, so far as they differ; what is expected of endpoints is none. */
export function restartNeededFor(before: ProxyConfig, after: ProxyConfig): readonly string[] {
  const settings = (['dataDir', 'journal', 'admin'] as const).filter(
    (key) => !isDeepStrictEqual(before[key], after[key]),
  )
  const names = new Set([...before.endpoints, ...after.endpoints].map(({ name }) => name))
  return [...settings, ...[...names].flatMap((name) => changesOf(name, before, after))]
}

function changesOf(name: string, before: ProxyConfig, after: ProxyConfig): readonly string[] {
  const [one, other] = [find(before, name), find(after, name)]
  // Put in, or taken out.
  if (one === undefined || other === undefined) return [`endpoints[${name}]`]
  const url = ({ target, basePath }: EndpointConfig) => ({ target, basePath })
  return [
    ...(isDeepStrictEqual(one.listen, other.listen) ? [] : [`endpoints[${name}].listen`]),
    ...(isDeepStrictEqual(url(one), url(other)) ? [] : [`endpoints[${name}].url`]),
  ]
}

function find({ endpoints }: ProxyConfig, name: string): EndpointConfig | undefined {
  return endpoints.find((endpoint) => endpoint.name === name)
}
