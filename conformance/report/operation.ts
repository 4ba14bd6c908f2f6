import { type OperationId, routes } from '#contract/routes'
import type { Sent } from '../engine/http/exchange.ts'
import type { Target } from '../engine/target.ts'

/** Which operation of the contract a request was; undefined for any other path or method. */
export function operationOf(
  { method, url }: Sent,
  { baseUrl, proxyUrl, siblingUrl, spareUrl, platform }: Target,
): OperationId | undefined {
  const base = [baseUrl, proxyUrl, siblingUrl, spareUrl, platform?.url].find(
    (address) => address !== undefined && url.startsWith(`${address}/`),
  )
  if (base === undefined) return undefined
  const path = url.slice(base.length).split('?')[0] ?? ''
  const found = Object.entries(routes).find(
    ([, route]) => route.method.toUpperCase() === method && fits(path, route.path),
  )
  return found?.[0] as OperationId | undefined
}

function fits(path: string, template: string): boolean {
  const pattern = template.replace(/[.]/g, '\\$&').replace(/\{\w+\}/g, '.+')
  return new RegExp(`^${pattern}$`).test(path)
}
