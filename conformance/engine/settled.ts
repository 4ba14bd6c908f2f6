import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlBooks, ControlDebits } from '#contract/models'
import type { Account, Accounts } from './accounts.ts'
import { checkDebits } from './debits.ts'

/** How long holds may stay open after a scenario has ended, and how often that is looked at (ours). */
const SETTLING_MS = 3_000
const POLL_MS = 50

/** The books of every workspace that a scenario made, once it has no open hold, or after `SETTLING_MS` × `slack`. */
export function settledBooks(accounts: Accounts, slack: number): Promise<ControlBooks[]> {
  return settle(accounts, slack, accounts.books, ({ holds }) => holds.length === 0)
}

/** The same of what given rules speak of, once all that was metered is debited. */
export function settledDebits(accounts: Accounts, slack: number): Promise<ControlDebits[]> {
  return settle(accounts, slack, accounts.debits, (debits) => checkDebits(debits).length === 0)
}

function settle<Read>(
  { opened }: Accounts,
  slack: number,
  read: (account: Account) => Promise<Read>,
  isSettled: (read: Read) => boolean,
): Promise<Read[]> {
  const until = Date.now() + SETTLING_MS * slack
  return Promise.all(
    opened.map(async (account) => {
      for (;;) {
        const found = await read(account)
        if (isSettled(found) || Date.now() > until) return found
        await sleep(POLL_MS)
      }
    }),
  )
}
