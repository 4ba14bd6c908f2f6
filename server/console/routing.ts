import { type ConsoleOperationId, type ConsoleRoute, consoleRoutes } from '#contract/console/routes'

/** Where the console's API lies. */
export const API = '/console/api'

/** The operation that a request asks for. */
export interface Routed {
  readonly operation: ConsoleOperationId
  readonly route: ConsoleRoute
  /** Decoded. */
  readonly path: Readonly<Record<string, string>>
}

const table = Object.entries<ConsoleRoute>(consoleRoutes).map(([operation, route]) => ({
  operation: operation as ConsoleOperationId,
  route,
  pattern: new RegExp(`^${API}${route.path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))
// What is spelled out goes before what a parameter stands for: `/requests/live` is no request's id.
table.sort((one, other) => parametersOf(one.route) - parametersOf(other.route))

function parametersOf({ path }: ConsoleRoute): number {
  return path.split('{').length
}

/** Finds the operation of a method and a path as it was sent, without its query; undefined when there is none. */
export function findRoute(method: string, path: string): Routed | undefined {
  for (const { operation, route, pattern } of table) {
    if (route.method.toUpperCase() !== method) continue
    const found = pattern.exec(path)
    if (!found) continue
    const parameters = decoded(found.groups ?? {})
    return parameters && { operation, route, path: parameters }
  }
  return undefined
}

/** What cannot be decoded, or stands for no text that a database takes, names nothing. */
function decoded(groups: Readonly<Record<string, string>>): Record<string, string> | undefined {
  try {
    const texts = Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)] as const)
    return texts.some(([, text]) => text.includes('\u0000')) ? undefined : Object.fromEntries(texts)
  } catch {
    return undefined
  }
}
