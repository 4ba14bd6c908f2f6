import { type FoundAccount, findOrCreateAccount } from '../server/console/accounts.ts'
import { type EmailAddress, parseEmailAddress } from '../server/console/email-address.ts'
import { connect } from '../server/store/connection.ts'

/** Who owns the demo's workspace and administers its router; no mail leaves this machine, so nobody else has it. */
export const OWNER: EmailAddress = parseEmailAddress('admin@router.localhost')!

const WORKSPACE = 'demo'

/** Finds the owner's account with its workspace, or makes them, as the first sign-in of anybody else does. */
export async function findOrCreateOwner(databaseUrl: string): Promise<FoundAccount> {
  const sql = connect({ url: databaseUrl, maxConnections: 1 })
  try {
    return await sql.begin((transaction) => findOrCreateAccount(transaction, OWNER, WORKSPACE))
  } finally {
    await sql.end()
  }
}
