import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { move, type Workspace } from './books.ts'
import type { Limits } from './limits.ts'
import { Refusal } from './refusal.ts'

/** Look-ups of one address in a minute. */
const LOOK_UPS_PER_MINUTE = 7

/** Codes and what they grant; each account is granted each of them once. */
export class Invitations {
  readonly #grants = new Map<string, { readonly grant: number; readonly accounts: Set<string> }>()

  issue(grant: number): string {
    const code = `welcome.${randomBytes(9).toString('hex')}`
    this.#grants.set(code, { grant, accounts: new Set() })
    return code
  }

  /** What was granted; null for nothing. */
  redeem(code: string, account: string, workspace: Workspace): number | null {
    const found = this.#grants.get(code)
    if (!found || found.accounts.has(account)) return null
    found.accounts.add(account)
    move(workspace, found.grant, 'Invitation credit')
    return found.grant
  }

  /** Tells what a code grants, in dollars; throws where there is none, and 429 to an address that asks too often. */
  look(code: string, { headers, socket }: IncomingMessage, limits: Limits): object {
    const address = String(headers['x-forwarded-for'] ?? socket.remoteAddress)
    limits.look(`invitations of ${address}`, LOOK_UPS_PER_MINUTE)
    limits.use(`invitations of ${address}`, 1)
    const found = this.#grants.get(code)
    if (!found)
      throw new Refusal(404, 'no_such_invitation', 'invalid_request_error', 'This code is not known.')
    return { invitation: code, worth: `$${(found.grant / 1_000_000).toFixed(6)}` }
  }
}
