import { limits } from '#contract/limits'
import type { Queryable } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import type { Account } from './accounts.ts'
import type { Digests } from './digests.ts'
import type { EmailAddress } from './email-address.ts'

/** Somebody's session; it is over when its row is gone, or 30 days after its last use (CONS-21). */
export interface Session {
  readonly id: string
  readonly userAgent: string | null
  readonly createdAt: Date
  /** Give or take a minute. */
  readonly usedAt: Date
  readonly expiresAt: Date
}

/** A session that a request has shown, and whose it is. */
export interface OpenSession {
  readonly session: Session
  readonly account: Account
  /** Its end has moved, and so has to move its cookie's. */
  readonly hasRolled: boolean
}

const MS_PER_SECOND = 1_000
const SESSION_SECONDS = limits.sessionMs / MS_PER_SECOND

/** What is kept of a browser's own word (ours); the database counts characters as code points. */
const MAX_USER_AGENT = 256

/**
 * Begins a session under a new token, which nobody has seen before: the database keeps its digest alone. An account
 * that has as many as it may loses its oldest ones (CONS-42).
 */
export async function createSession(
  sql: Queryable,
  digests: Digests,
  accountId: string,
  userAgent: string | undefined,
): Promise<string> {
  const token = digests.createToken('session')
  await sql`
    insert into sessions (token_hash, id, account_id, user_agent, expires_at)
    values (
      ${digests.session(token)}, ${createId('ses_')}, ${accountId}, ${shortened(userAgent)},
      clock_timestamp() + ${SESSION_SECONDS} * interval '1 second'
    )`
  await sql`
    delete from sessions where account_id = ${accountId} and id not in (
      select id from sessions where account_id = ${accountId} order by created_at desc, id desc
      limit ${limits.maxSessions}
    )`
  return token
}

/** The session behind a token, moved on by its use; undefined when there is none or it is over. */
export async function useSession(
  sql: Queryable,
  digests: Digests,
  token: string,
): Promise<OpenSession | undefined> {
  const hash = digests.session(token)
  const [row] = await sql<OpenRow[]>`
    select s.*, a.email, a.workspace_id, w.name as workspace_name,
      s.used_at < clock_timestamp() - ${limits.sessionUsedMs / MS_PER_SECOND} * interval '1 second' as is_stale
    from sessions s join accounts a on a.id = s.account_id join workspaces w on w.id = a.workspace_id
    where s.token_hash = ${hash} and s.expires_at > clock_timestamp()`
  if (!row) return undefined
  const { account_id: id, email, workspace_id: workspaceId, workspace_name: workspaceName } = row
  const account = { id, email: email as EmailAddress, workspaceId, workspaceName }
  if (!row.is_stale) return { session: toSession(row), account, hasRolled: false }
  const [moved] = await sql<Row[]>`
    update sessions set used_at = clock_timestamp(),
      expires_at = clock_timestamp() + ${SESSION_SECONDS} * interval '1 second'
    where token_hash = ${hash} returning *`
  // Ended in between.
  return moved && { session: toSession(moved), account, hasRolled: true }
}

/** An account's sessions that are not over, the newest first. */
export async function listSessions(sql: Queryable, accountId: string): Promise<Session[]> {
  const rows = await sql<Row[]>`
    select * from sessions where account_id = ${accountId} and expires_at > clock_timestamp() order by created_at desc, id desc`
  return rows.map(toSession)
}

/** Which of these sessions are not over. */
export async function findOpenSessions(sql: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }[]>`
    select id from sessions where id = any (${[...ids]}::text[]) and expires_at > clock_timestamp()`
  return new Set(rows.map(({ id }) => id))
}

/** Ends one of an account's sessions; false when it has none of that id. */
export async function endSession(sql: Queryable, accountId: string, id: string): Promise<boolean> {
  const { count } = await sql`
    delete from sessions where account_id = ${accountId} and id = ${id} and expires_at > clock_timestamp()`
  return count > 0
}

/** Ends the session of a token, if there is one. */
export async function endSessionOf(sql: Queryable, digests: Digests, token: string): Promise<void> {
  await sql`delete from sessions where token_hash = ${digests.session(token)}`
}

/** What a browser says of itself is foreign text: without what no text in the database may hold. */
function shortened(userAgent: string | undefined): string | null {
  const text = [...(userAgent ?? '').replaceAll('\u0000', '').toWellFormed()]
    .slice(0, MAX_USER_AGENT)
    .join('')
  return text === '' ? null : text
}

interface Row {
  readonly id: string
  readonly account_id: string
  readonly user_agent: string | null
  readonly created_at: Date
  readonly used_at: Date
  readonly expires_at: Date
}

interface OpenRow extends Row {
  readonly email: string
  readonly workspace_id: string
  readonly workspace_name: string
  readonly is_stale: boolean
}

function toSession(row: Row): Session {
  return {
    id: row.id,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    usedAt: row.used_at,
    expiresAt: row.expires_at,
  }
}
