import type { Queryable } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { createCode, parseCode } from './code.ts'

/** What a code grants, how often, and until when (INV-07). */
export interface Invitation {
  readonly id: string
  /** As it is kept; see `formatCode`. */
  readonly code: string
  readonly grantMicros: bigint
  /** What it is for, for those who use it. */
  readonly description: string
  readonly maxRedemptions: number
  readonly redemptions: number
  readonly expiresAt: Date | null
  readonly withdrawnAt: Date | null
  /** For the operator alone. */
  readonly note: string | null
  readonly createdAt: Date
  /** Whether it can be redeemed at this moment; never stored. */
  readonly isOpen: boolean
}

/** What is decided when an invitation is issued. */
export interface NewInvitation {
  readonly grantMicros: bigint
  readonly description?: string
  /** 1 when absent. */
  readonly maxRedemptions?: number
  readonly expiresAt?: Date
  readonly note?: string
}

/** The description of a code that was issued without one. */
const DESCRIPTION = 'Credit for a new account'

/** Issues a code. */
export async function issueInvitation(sql: Queryable, invitation: NewInvitation): Promise<Invitation> {
  const { grantMicros, description = DESCRIPTION, maxRedemptions = 1, expiresAt, note } = invitation
  const [row] = await sql<Row[]>`
    insert into invitations (id, code, grant_micros, description, max_redemptions, expires_at, note)
    values (
      ${createId('inv_')}, ${createCode()}, ${grantMicros}, ${description}, ${maxRedemptions},
      ${expiresAt ?? null}, ${note ?? null}
    )
    returning *, ${isOpen(sql)}`
  return toInvitation(row!)
}

/** All invitations, oldest first. */
export async function listInvitations(sql: Queryable): Promise<Invitation[]> {
  return (await sql<Row[]>`select *, ${isOpen(sql)} from invitations order by id`).map(toInvitation)
}

/** Some invitations, the newest first, behind the one that is named. */
export async function listInvitationPage(
  sql: Queryable,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Invitation[]> {
  const rows = await sql<Row[]>`
    select *, ${isOpen(sql)} from invitations where ${after === undefined ? sql`true` : sql`id < ${after}`}
    order by id desc limit ${limit}`
  return rows.map(toInvitation)
}

/** Makes a code useless from now on; what it has granted stays. Doing it again keeps the first time. */
export async function withdrawInvitation(sql: Queryable, code: string): Promise<Invitation | undefined> {
  return (await withdrawInvitationOnce(sql, { code }))?.invitation
}

/** The same of an invitation that is named by its code or its id, and whether it was not withdrawn before. */
export async function withdrawInvitationOnce(
  sql: Queryable,
  name: { readonly id: string } | { readonly code: string },
): Promise<{ readonly invitation: Invitation; readonly isFirst: boolean } | undefined> {
  const isNamed = 'id' in name ? sql`id = ${name.id}` : sql`code = ${parseCode(name.code) ?? ''}`
  const [first] = await sql<Row[]>`
    update invitations set withdrawn_at = clock_timestamp() where ${isNamed} and withdrawn_at is null
    returning *, ${isOpen(sql)}`
  const [row] = first ? [first] : await sql<Row[]>`select *, ${isOpen(sql)} from invitations where ${isNamed}`
  return row && { invitation: toInvitation(row), isFirst: first !== undefined }
}

/**
 * The invitation behind a code that can be redeemed now. Unknown, expired, exhausted and withdrawn ones are told apart
 * by nothing: the same statement finds no row (INV-05).
 */
export async function findInvitation(sql: Queryable, code: string): Promise<Invitation | undefined> {
  const [row] = await sql<Row[]>`
    select * from (select *, ${isOpen(sql)} from invitations where code = ${parseCode(code) ?? ''}) found
    where is_open`
  return row && toInvitation(row)
}

function isOpen(sql: Queryable) {
  return sql`invitation_is_open(redemptions, max_redemptions, expires_at, withdrawn_at) as is_open`
}

interface Row {
  readonly id: string
  readonly code: string
  readonly grant_micros: bigint
  readonly description: string
  readonly max_redemptions: number
  readonly redemptions: number
  readonly expires_at: Date | null
  readonly withdrawn_at: Date | null
  readonly note: string | null
  readonly created_at: Date
  readonly is_open: boolean
}

function toInvitation(row: Row): Invitation {
  return {
    id: row.id,
    code: row.code,
    grantMicros: row.grant_micros,
    description: row.description,
    maxRedemptions: row.max_redemptions,
    redemptions: row.redemptions,
    expiresAt: row.expires_at,
    withdrawnAt: row.withdrawn_at,
    note: row.note,
    createdAt: row.created_at,
    isOpen: row.is_open,
  }
}
