import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { digestOf } from '#attestation'
import { forbidden, type Refusal } from '../refusal.ts'
import type { Origins } from '../refuse.ts'

/** Who may speak to a listener. */
export interface GuardOptions {
  readonly origins: Origins
  /** What clients must present in `X-Proxy-Token`; given where others than this machine can connect. */
  readonly token: string | undefined
  /** Path of the Unix socket it listens on; the file's mode says who may connect, and no page can. */
  readonly socket?: string
}

const AUTHORITY = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(:\d{1,5})?$/i
/** What a browser says of a request that a page of another site caused (Fetch Metadata, 2.4). */
const CROSS_SITE = 'cross-site'

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/i

/**
 * Refuses callers that are not the user's own programs: web pages of origins that are not listed, and pages whose
 * name was rebound to this machine, which give themselves away by `Host` (PRXY-11).
 */
export function guard(
  request: IncomingMessage,
  { origins, token, socket }: GuardOptions,
): Refusal | undefined {
  const { host, origin, 'sec-fetch-site': site } = request.headers
  if (!request.url?.startsWith('/')) return forbidden('This listener takes requests for its own paths only.')
  if (origin !== undefined && !origins.includes(origin)) {
    return forbidden(
      'Pages of this origin may not call through this proxy; see `origins` in its configuration.',
    )
  }
  // Images, scripts, links and forms of other sites send no `Origin` with a GET; browsers say so by this header alone.
  if (origin === undefined && site === CROSS_SITE) {
    return forbidden('Pages of other sites may not cause requests through this proxy.')
  }
  if (token !== undefined) {
    return isToken(request, token) ? undefined : forbidden('X-Proxy-Token is missing or wrong.')
  }
  if (socket !== undefined) return undefined
  return isLoopback(host) ? undefined : forbidden('The Host header must name this machine: use 127.0.0.1.')
}

function isLoopback(host: string | undefined): boolean {
  const name = AUTHORITY.exec(host ?? '')?.[1]
  return name !== undefined && LOOPBACK.test(name)
}

function isToken({ headers }: IncomingMessage, token: string): boolean {
  const offered = headers['x-proxy-token']
  if (typeof offered !== 'string') return false
  return timingSafeEqual(Buffer.from(digestOf(offered)), Buffer.from(digestOf(token)))
}
