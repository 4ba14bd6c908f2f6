import type { IncomingHttpHeaders } from 'node:http'
import { limits } from '#contract/limits'
import type { Digests, TokenKind } from './digests.ts'
import { API } from './routing.ts'

const MS_PER_SECOND = 1_000

const lives = { session: limits.sessionMs, browser: limits.knownBrowserMs } as const

/**
 * How a cookie is called. Where there is TLS a browser takes `__Host-` from this very host alone: a neighbouring host, or
 * a page without TLS, could plant its own session here otherwise, or a browser's token that it knows (CONS-21).
 */
function nameOf(kind: TokenKind, isHttps: boolean): string {
  return `${isHttps ? '__Host-' : ''}console_${kind}`
}

/** A browser's token, if it has sent one that is ours. Of two of one name the first counts, as it is the nearer path's. */
export function readCookie(
  { headers }: { readonly headers: Pick<IncomingHttpHeaders, 'cookie'> },
  kind: TokenKind,
  isHttps: boolean,
  digests: Pick<Digests, 'parseToken'>,
): string | undefined {
  const start = `${nameOf(kind, isHttps)}=`
  const cookie = (headers.cookie ?? '')
    .split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(start))
  return digests.parseToken(kind, cookie?.slice(start.length))
}

/** Sets a cookie that no script can read and no other site sends along; without a token it takes it away (CONS-21). */
export function writeCookie(kind: TokenKind, token: string | undefined, isHttps: boolean): string {
  const seconds = token === undefined ? 0 : lives[kind] / MS_PER_SECOND
  const parts = [
    `${nameOf(kind, isHttps)}=${token ?? ''}`,
    // `__Host-` asks for the whole host.
    `Path=${isHttps ? '/' : API}`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Lax',
  ]
  return [...parts, ...(isHttps ? ['Secure'] : [])].join('; ')
}
