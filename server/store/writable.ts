import { DatabaseUrlError } from './tls/parameters.ts'

/** Its values in libpq that a router can work with; the others ask for a server that takes no writes. */
const useful = ['any', 'read-write', 'primary']
const WRITABLE = 'primary'

/** What stands between a URL's `@`, or its scheme, and its path. */
const AUTHORITY = /^[^/]*\/\/(?:[^/?#]*@)?([^/?#]*)/

/**
 * What the driver is to ask of a server before it uses it; undefined where a URL names one alone and says nothing
 * (OPS-11). `read-write` asks the driver for less than libpq: it would take a standby. Throws `DatabaseUrlError`.
 */
export function neededServer(url: string): typeof WRITABLE | undefined {
  const query = url.indexOf('?')
  const said = query < 0 ? null : new URLSearchParams(url.slice(query)).get('target_session_attrs')
  if (said !== null && !useful.includes(said)) {
    throw new DatabaseUrlError(
      'target_session_attrs',
      `must be one of ${useful.join(', ')}: a router has to write`,
    )
  }
  const isOneOfSeveral = AUTHORITY.exec(url)?.[1]?.includes(',') ?? false
  return isOneOfSeveral || (said !== null && said !== 'any') ? WRITABLE : undefined
}

/** A URL that says nothing of it any more: the driver knows no `any`. */
export function withoutNeed(url: string): string {
  return url.replace(/(?<=[?&])target_session_attrs=[^&#]*&?/g, '').replace(/[?&]$/, '')
}
