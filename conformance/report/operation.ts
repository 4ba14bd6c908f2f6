import { type ConsoleOperationId, consoleRoutes } from '#contract/console/routes'
import { type OperationId, routes } from '#contract/routes'
import type { Sent } from '../engine/http/exchange.ts'
import type { Target } from '../engine/target.ts'

/** Operations of the console go by names of their own, as some are called like one of the router. */
export type ConsoleAnswer = `console ${ConsoleOperationId}`

/** Which operation of the contract a request was; undefined for any other path or method. */
export function operationOf(sent: Sent, target: Target): OperationId | ConsoleAnswer | undefined {
  const { baseUrl, proxyUrl, siblingUrl, spareUrl, consoleUrl, platform } = target
  const own = find(sent, [baseUrl, proxyUrl, siblingUrl, spareUrl, platform?.url], routes)
  if (own !== undefined) return own as OperationId
  const found = find(sent, [consoleUrl], consoleRoutes)
  return found === undefined ? undefined : `console ${found as ConsoleOperationId}`
}

interface Route {
  readonly method: string
  readonly path: string
}

function find(
  { method, url }: Sent,
  addresses: readonly (string | undefined)[],
  table: Readonly<Record<string, Route>>,
): string | undefined {
  const base = addresses.find((address) => address !== undefined && url.startsWith(`${address}/`))
  if (base === undefined) return undefined
  const path = url.slice(base.length).split('?')[0] ?? ''
  // What is spelled out goes before what a parameter stands for.
  const fitting = Object.entries(table)
    .filter(([, route]) => route.method.toUpperCase() === method && fits(path, route.path))
    .sort(([, one], [, other]) => one.path.split('{').length - other.path.split('{').length)
  return fitting[0]?.[0]
}

function fits(path: string, template: string): boolean {
  const pattern = template.replace(/[.]/g, '\\$&').replace(/\{\w+\}/g, '.+')
  return new RegExp(`^${pattern}$`).test(path)
}
