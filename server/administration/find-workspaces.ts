import type { Queryable } from '../store/connection.ts'
import { toWorkspace, type Workspace, type WorkspaceRow } from '../store/workspaces.ts'

/** A workspace, and the addresses of its accounts: none for one that was made on the command line. */
export interface PeopledWorkspace extends Workspace {
  readonly emails: readonly string[]
}

/** Which workspaces, the newest first. */
export interface WorkspaceSearch {
  /** A part of the name or of an address, or the whole id; case does not matter. All when undefined. */
  readonly text: string | undefined
  /** Behind the one of this id. */
  readonly after?: string | undefined
  /** All when left out. */
  readonly limit?: number
}

/** Finds workspaces. */
export async function findWorkspaces(
  sql: Queryable,
  { text, after, limit }: WorkspaceSearch,
): Promise<PeopledWorkspace[]> {
  const isMeant =
    text === undefined
      ? sql`true`
      : sql`(
          lower(w.id) = lower(${text}) or exists (
            select from unnest(${spellingsOf(text)}::text[]) as part
            where strpos(w.name, part) > 0 or strpos(lower(w.name), lower(part)) > 0
              or exists (select from accounts a where a.workspace_id = w.id and strpos(a.email, part) > 0)
          )
        )`
  const rows = await sql<Row[]>`
    select w.*, ${emails(sql)} from workspaces w
    where ${isMeant} ${after === undefined ? sql`` : sql`and w.id < ${after}`}
    order by w.id desc ${limit === undefined ? sql`` : sql`limit ${limit}`}`
  return rows.map(toPeopled)
}

/** One workspace; undefined when there is none of that id. */
export async function findPeopledWorkspace(
  sql: Queryable,
  id: string,
): Promise<PeopledWorkspace | undefined> {
  const [row] = await sql<Row[]>`select w.*, ${emails(sql)} from workspaces w where w.id = ${id}`
  return row && toPeopled(row)
}

interface Row extends WorkspaceRow {
  readonly emails: string[]
}

function emails(sql: Queryable) {
  return sql`array(select email from accounts a where a.workspace_id = w.id order by a.created_at, a.id) as emails`
}

/** A database in the locale C knows the case of ASCII alone. */
function spellingsOf(text: string): string[] {
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()]
  const [first = ''] = lower
  return [...new Set([text, lower, upper, first.toUpperCase() + lower.slice(first.length)])]
}

function toPeopled(row: Row): PeopledWorkspace {
  return { ...toWorkspace(row), emails: row.emails }
}
