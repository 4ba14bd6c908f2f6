import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlBooks } from '#contract/models'
import type { Accounts } from './accounts.ts'

/** How long holds may stay open after a scenario has ended, and how often that is looked at (ours). */
const SETTLING_MS = 3_000
const POLL_MS = 50

/** The books of every workspace that a scenario made, once it has no open hold, or after `SETTLING_MS` × `slack`. */
export function settledBooks(accounts: Accounts, slack: number): Promise<ControlBooks[]> {
  const until = Date.now() + SETTLING_MS * slack
  return Promise.all(
    accounts.opened.map(async (account) => {
      for (;;) {
        const books = await accounts.books(account)
        if (books.holds.length === 0 || Date.now() > until) return books
        await sleep(POLL_MS)
      }
    }),
  )
}
