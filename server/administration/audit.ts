import type postgres from 'postgres'
import type { components } from '#contract/console/types'
import type { Queryable } from '../store/connection.ts'
import type { Actor, AuditAct } from './act.ts'

/** What may be done, each word once. */
export const auditActs = Object.keys({
  upstream_registered: true,
  upstream_disabled: true,
  upstream_enabled: true,
  upstream_attested: true,
  upstream_rekeyed: true,
  deployment_pinned: true,
  deployment_unpinned: true,
  invitation_issued: true,
  invitation_withdrawn: true,
  workspace_credited: true,
  workspace_limited: true,
  workspace_created: true,
  workspace_moved: true,
  key_created: true,
  key_updated: true,
  key_revoked: true,
  month_exported: true,
  month_detached: true,
  month_dropped: true,
} satisfies Record<AuditAct, true>) as AuditAct[]

/** An act as it was written down. */
export interface AuditRow {
  readonly id: string
  readonly at: Date
  readonly actor: string
  readonly through: Actor['through']
  readonly act: AuditAct
  readonly subject: string
  readonly details: Readonly<Record<string, string>>
}

/** Some of the rows, the newest first. */
export interface AuditQuery {
  /** From this time on. */
  readonly from?: Date | undefined
  /** Before this time. */
  readonly to?: Date | undefined
  readonly actor?: string | undefined
  readonly act?: AuditAct | undefined
  readonly subject?: string | undefined
  /** Behind this row. */
  readonly after?: Pick<AuditRow, 'at' | 'id'> | undefined
  readonly limit: number
}

/** Lists what administrators have done. */
export async function listAudit(sql: Queryable, query: AuditQuery): Promise<AuditRow[]> {
  return await auditStatement(sql, query)
}

/** Exported for the test that asks the database how it goes about it. */
export function auditStatement(sql: Queryable, query: AuditQuery): postgres.PendingQuery<AuditRow[]> {
  const { from, to, actor, act, subject, after, limit } = query
  return sql<AuditRow[]>`
    select id, at, actor, through, act, subject, details from audit
    where true
      ${from === undefined ? sql`` : sql`and at >= ${from}`}
      ${to === undefined ? sql`` : sql`and at < ${to}`}
      ${actor === undefined ? sql`` : sql`and actor = ${actor}`}
      ${act === undefined ? sql`` : sql`and act = ${act}`}
      ${subject === undefined ? sql`` : sql`and subject = ${subject}`}
      ${after === undefined ? sql`` : sql`and (at, id) < (${after.at}, ${after.id})`}
    order by at desc, id desc limit ${limit}`
}

/** A row as the contract has it, in the console and on the command line. */
export function toAuditDocument(row: AuditRow): components['schemas']['AuditRow'] {
  return { ...row, at: row.at.toISOString(), details: { ...row.details } }
}
