/** What stands before a database URL's servers, and those. */
const SERVERS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)/
const BRACKETED = /^\[([^\]]+)\](?::(\d+))?$/
const NAMED = /^([^:]+)(?::(\d+))?$/
const USUAL_PORT = 5_432

/** Where each server of a database URL is, in the order in which they stand there. */
export interface Servers {
  readonly host: readonly string[]
  readonly port: readonly number[]
}

/**
 * The servers of a URL that names one by its IPv6 address, which the driver would cut off at its first colon;
 * undefined where there is none, and the driver may read by itself.
 */
export function bracketedServers(url: string): Servers | undefined {
  const list = SERVERS.exec(url)?.[2]
  if (!list?.includes('[')) return undefined
  const servers = list.split(',').map((server) => BRACKETED.exec(server) ?? NAMED.exec(server))
  return {
    host: servers.map((found) => found?.[1] ?? ''),
    port: servers.map((found) => Number(found?.[2] ?? USUAL_PORT)),
  }
}

/** Whether it is the URL of a database, with each of its servers: libpq takes several, which no other URL has. */
export function isDatabaseUrl(url: string): boolean {
  const [whole, before, list] = SERVERS.exec(url) ?? []
  if (whole === undefined) return false
  const rest = url.slice(whole.length)
  return list!.split(',').every((server) => URL.canParse(`${before}${server}${rest}`))
}
