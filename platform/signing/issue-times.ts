import type { Vault } from '../vault.ts'

/** Gives signing times, each later than all before it. */
export interface IssueTimes {
  next(): Date
}

const FILE = 'issued-at'

/** Signing times that only go forward, whatever the clock does and across restarts. */
export function createIssueTimes(vault: Vault, now: () => Date): IssueTimes {
  const written = vault.read(FILE)
  let last = written === undefined ? 0 : Date.parse(written)
  if (Number.isNaN(last)) throw new Error(`${vault.pathOf(FILE)} is damaged; delete it to begin anew.`)
  return {
    next() {
      last = Math.max(now().getTime(), last + 1)
      const time = new Date(last)
      // It is written before anybody can have seen the bundle.
      vault.writeSecret(FILE, time.toISOString())
      return time
    },
  }
}
