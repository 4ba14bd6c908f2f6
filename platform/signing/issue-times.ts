import { limits } from '#contract/limits'
import type { Log } from '../log.ts'
import type { Vault } from '../vault.ts'

/** Gives signing times, each at least a millisecond after the one before. */
export interface IssueTimes {
  next(): Date
}

const FILE = 'issued-at'

const AHEAD =
  'the signature is dated ahead of this clock, and verifiers refuse it (issued_in_future) until the clock has caught up: ' +
  'if this clock is right, it was ahead once: stop the platform, delete the file and start it again'

/**
 * Signing times that only go forward, whatever the clock does and across restarts; the last one is kept in `issued-at`.
 * One too far ahead of the clock for verifiers is a warning of the log. Throws when the file holds no time.
 */
export function createIssueTimes(vault: Vault, now: () => Date, log: Log): IssueTimes {
  const written = vault.read(FILE)
  let last = written === undefined ? 0 : Date.parse(written)
  if (Number.isNaN(last)) throw new Error(`${vault.pathOf(FILE)} is damaged; delete it to begin anew.`)
  return {
    next() {
      const clock = now().getTime()
      last = Math.max(clock, last + 1)
      const time = new Date(last)
      if (last - clock > limits.maxClockSkewMs) {
        log.warn(AHEAD, { issuedAt: time.toISOString(), path: vault.pathOf(FILE) })
      }
      // It is written before anybody can have seen the bundle.
      vault.writeSecret(FILE, time.toISOString())
      return time
    },
  }
}
