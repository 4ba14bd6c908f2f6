import { monotonicFactory } from 'ulid'
import { limits } from '#contract/limits'
import { createChance } from './chance.ts'

const next = monotonicFactory(createChance())

const ECHOED = new RegExp(`^[\\x21-\\x7e]{1,${limits.maxRequestIdCharacters}}$`)

/** The caller's `X-Request-Id` if it is 1–128 visible ASCII characters, else one of our own (HDR-08, HDR-09). */
export function requestIdFor(offered: string | undefined): string {
  return offered !== undefined && ECHOED.test(offered) ? offered : `req-${next()}`
}
