import type { IncomingMessage } from 'node:http'
import { limits } from '#contract/limits'
import { parseToken } from './digests.ts'
import { API } from './routing.ts'

/** The two tokens of a browser: of its session, and of itself, which its codes are bound to. */
export const cookieNames = { session: 'console_session', browser: 'console_browser' } as const

const MS_PER_SECOND = 1_000

const lives = { session: limits.sessionMs, browser: limits.knownBrowserMs } as const

/** A browser's token, if it has sent one that can be ours. Of two of one name the first counts, as it is the nearer path's. */
export function readCookie(
  { headers }: Pick<IncomingMessage, 'headers'>,
  kind: keyof typeof cookieNames,
): string | undefined {
  const start = `${cookieNames[kind]}=`
  const cookie = (headers.cookie ?? '')
    .split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(start))
  return parseToken(cookie?.slice(start.length))
}

/** Sets a cookie that no script can read and no other site sends along; without a token it takes it away (CONS-21). */
export function writeCookie(
  kind: keyof typeof cookieNames,
  token: string | undefined,
  isHttps: boolean,
): string {
  const seconds = token === undefined ? 0 : lives[kind] / MS_PER_SECOND
  const parts = [
    `${cookieNames[kind]}=${token ?? ''}`,
    `Path=${API}`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Lax',
  ]
  return [...parts, ...(isHttps ? ['Secure'] : [])].join('; ')
}
