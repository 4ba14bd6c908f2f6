import { type Grant, redeemInvitation } from '../invitations/redeem.ts'
import type { Queryable } from '../store/connection.ts'
import { inTransaction } from '../store/transaction.ts'
import { type Account, findOrCreateAccount } from './accounts.ts'
import type { Digests } from './digests.ts'
import { createSession, endSessionOf } from './sessions.ts'
import { type CodeTry, rememberBrowser, useCode } from './try-code.ts'

/** Somebody who signs in, or signs up. */
export interface SignIn extends CodeTry {
  /** An invitation's code as it was typed; for a new account alone. */
  readonly invitation: string | undefined
  /** How the workspace of a new account is called; made from the address when undefined. */
  readonly workspaceName: string | undefined
  /** The token of a session that the browser has already; it ends. */
  readonly sessionToken: string | undefined
  readonly userAgent: string | undefined
}

/** What came of it. */
export interface SignedIn {
  readonly account: Account
  readonly isNew: boolean
  readonly grant: Grant | undefined
  /** Always a new one, so that none that somebody laid into the browser is of any use (CONS-40). */
  readonly sessionToken: string
}

/** Signs in with a code, all of it or nothing: the code used up, account, workspace, grant and session (CONS-27). */
export async function signIn(
  sql: Queryable,
  digests: Digests,
  request: SignIn,
): Promise<SignedIn | undefined> {
  const { email, invitation, workspaceName, userAgent } = request
  return await inTransaction(sql, async (transaction) => {
    // What a wrong code has cost stands, so this is no failure.
    if (!(await useCode(transaction, digests, request))) return undefined
    const { account, isNew } = await findOrCreateAccount(transaction, email, workspaceName)
    const { id: accountId, workspaceId } = account
    const isInvited = isNew && invitation !== undefined
    const grant = isInvited
      ? await redeemInvitation(transaction, { accountId, workspaceId, code: invitation })
      : undefined
    if (request.sessionToken !== undefined) await endSessionOf(transaction, digests, request.sessionToken)
    const sessionToken = await createSession(transaction, digests, accountId, userAgent)
    await rememberBrowser(transaction, digests, request)
    return { account, isNew, grant, sessionToken }
  })
}
