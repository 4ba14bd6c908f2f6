import type { Queryable } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import type { EmailAddress } from './email-address.ts'

/** Somebody who has signed in once, and the workspace that is theirs. */
export interface Account {
  readonly id: string
  readonly email: EmailAddress
  readonly workspaceId: string
  readonly workspaceName: string
}

/** An account, and whether it was made now. */
export interface FoundAccount {
  readonly account: Account
  readonly isNew: boolean
}

/**
 * The account of an address, made with a workspace of its own where there is none. Belongs into a transaction: of two
 * that make one account at once the second waits for the first, and finds its account.
 */
export async function findOrCreateAccount(
  sql: Queryable,
  email: EmailAddress,
  workspaceName: string | undefined,
): Promise<FoundAccount> {
  const name = workspaceName ?? nameFor(email)
  const workspaceId = createId('ws_')
  const [made] = await sql<{ id: string }[]>`
    insert into accounts (id, email, workspace_id) values (${createId('acc_')}, ${email}, ${workspaceId})
    on conflict (email) do nothing returning id`
  if (made) {
    await sql`insert into workspaces (id, name) values (${workspaceId}, ${name})`
    return { account: { id: made.id, email, workspaceId, workspaceName: name }, isNew: true }
  }
  const [found] = await sql<{ id: string; workspace_id: string; name: string }[]>`
    select a.id, a.workspace_id, w.name from accounts a join workspaces w on w.id = a.workspace_id
    where a.email = ${email}`
  const { id, workspace_id, name: foundName } = found!
  return { account: { id, email, workspaceId: workspace_id, workspaceName: foundName }, isNew: false }
}

/** What stands before the @: the longest that a mail server takes is no longer than a name may be. */
function nameFor(email: EmailAddress): string {
  return email.slice(0, email.lastIndexOf('@'))
}
