import type { IncomingMessage } from 'node:http'
import { isLoopback } from '../config/loopback.ts'

/**
 * Whether a request comes from the console's own pages: its `Origin` is the console's (CONS-22). A console on this
 * machine alone is reached by several names and ports; there the page has to be one of this machine that asks the
 * server it came from.
 */
export function isOwnOrigin({ headers }: Pick<IncomingMessage, 'headers'>, publicUrl: string): boolean {
  const { origin, host } = headers
  if (origin === undefined) return false
  if (origin === publicUrl) return true
  const asked = URL.parse(origin)
  const own = new URL(publicUrl)
  if (asked === null || asked.origin !== origin || asked.protocol !== own.protocol) return false
  return isLoopback(bare(own.hostname)) && isLoopback(bare(asked.hostname)) && asked.host === host
}

/**
 * Whether the browser says that a page elsewhere sends this, a neighbouring host of the same site among them: that has
 * the cookie sent along, and could have somebody's event streams used up (CONS-63). Older browsers say nothing.
 */
export function isForeignPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const site = headers['sec-fetch-site']
  return site === 'same-site' || site === 'cross-site'
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}
