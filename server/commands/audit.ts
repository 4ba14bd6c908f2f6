import type { AuditAct } from '../administration/act.ts'
import { type AuditRow, auditActs, listAudit, toAuditDocument } from '../administration/audit.ts'
import { withCells } from './cells.ts'
import { type CommonOptions, columns, formatTime, print } from './output.ts'
import { parseCount, parseTimes, UsageError } from './usage.ts'

/** What `router audit` takes. */
export interface AuditOptions extends CommonOptions {
  readonly actor?: string
  readonly act?: string
  readonly subject?: string
  readonly from?: string
  readonly to?: string
  readonly limit: string
}

/** `router audit`: the acts of administrators, in the console and on the command line. */
export async function audit(options: AuditOptions): Promise<void> {
  const { actor, act, subject, limit } = options
  const query = {
    actor,
    act: act === undefined ? undefined : parseAct(act),
    subject,
    ...parseTimes(options),
    limit: parseCount('--limit', limit),
  }
  const lists = await withCells(options.config, ({ each }) => each((sql) => listAudit(sql, query)))
  const rows = lists.length === 1 ? lists[0]! : merge(lists).slice(0, query.limit)
  const head = ['TIME', 'ACTOR', 'THROUGH', 'ACT', 'SUBJECT', 'DETAILS']
  print(options, rows.map(toAuditDocument), columns([head, ...rows.map(toCells)]))
}

/** The newest first, as each list is. */
function merge(lists: readonly (readonly AuditRow[])[]): AuditRow[] {
  return lists.flat().sort((one, other) => {
    const apart = other.at.getTime() - one.at.getTime()
    return apart !== 0 ? apart : one.id < other.id ? 1 : -1
  })
}

function parseAct(text: string): AuditAct {
  const act = auditActs.find((known) => known === text)
  if (act === undefined) throw new UsageError(`--act must be one of ${auditActs.join(', ')}.`)
  return act
}

function toCells({ at, actor, through, act, subject, details }: AuditRow): string[] {
  const told = Object.entries(details).map(([name, text]) => `${name}=${JSON.stringify(text)}`)
  return [formatTime(at), actor, through.replace('_', ' '), act, subject, told.join(' ')]
}
