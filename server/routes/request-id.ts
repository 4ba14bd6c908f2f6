import { monotonicFactory } from 'ulid'

const next = monotonicFactory()

const ECHOED = /^[\x21-\x7e]{1,128}$/

/** The caller's `X-Request-Id` if it is 1–128 visible ASCII characters, else one of our own (decisions, 5). */
export function requestIdFor(offered: string | undefined): string {
  return offered !== undefined && ECHOED.test(offered) ? offered : `req-${next()}`
}
