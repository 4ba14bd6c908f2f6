import { type AuditRow, auditActs, listAudit, toAuditDocument } from '../administration/audit.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { readCursor } from './cursor.ts'
import type { ConsoleHandler } from './handlers.ts'
import { toPageBody } from './page-body.ts'
import { readChoice, readLimit, readText, readTime, readTimes } from './query.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const ID = /^aud_[0-9A-HJKMNP-TV-Z]{26}$/

/** `GET /admin/audit`: the acts of administrators, the newest first (CONS-51). */
export function listingAudit(sql: Sql): ConsoleHandler<'listAudit'> {
  return async ({ query }) => {
    const [moment, id] = readCursor(query.after, [TIME, ID]) ?? []
    const at = moment === undefined ? undefined : readTime('after', moment)
    const limit = readLimit(query.limit)
    const asked = {
      ...readTimes(query),
      actor: readText('actor', query.actor),
      act: readChoice('act', query.act, auditActs),
      subject: readText('subject', query.subject),
      after: at !== undefined && id !== undefined ? { at, id } : undefined,
      limit: limit + 1,
    }
    const rows = await outlast(() => listAudit(sql, asked))
    const placeOf = ({ at, id }: AuditRow) => [at.toISOString(), id]
    return { status: 200, body: toPageBody(rows, limit, { toBody: toAuditDocument, placeOf }) }
  }
}
