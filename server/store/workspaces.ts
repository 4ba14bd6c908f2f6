import type { Queryable } from './connection.ts'
import { createId } from './ids.ts'

/** Who owns keys, a prepaid balance and generation records (§2.2). */
export interface Workspace {
  readonly id: string
  readonly name: string
  readonly balanceMicros: bigint
  /** What running generations hold of the balance. */
  readonly heldMicros: bigint
  readonly createdAt: Date
}

/** Makes a workspace with an empty balance. */
export async function createWorkspace(sql: Queryable, name: string): Promise<Workspace> {
  const [row] = await sql<Row[]>`
    insert into workspaces (id, name) values (${createId('ws_')}, ${name}) returning *`
  return toWorkspace(row!)
}

/** All workspaces, oldest first. */
export async function listWorkspaces(sql: Queryable): Promise<Workspace[]> {
  return (await sql<Row[]>`select * from workspaces order by id`).map(toWorkspace)
}

/** One workspace by its id. */
export async function findWorkspace(sql: Queryable, id: string): Promise<Workspace | undefined> {
  const [row] = await sql<Row[]>`select * from workspaces where id = ${id}`
  return row && toWorkspace(row)
}

interface Row {
  readonly id: string
  readonly name: string
  readonly balance_micros: bigint
  readonly held_micros: bigint
  readonly created_at: Date
}

function toWorkspace(row: Row): Workspace {
  return {
    id: row.id,
    name: row.name,
    balanceMicros: row.balance_micros,
    heldMicros: row.held_micros,
    createdAt: row.created_at,
  }
}
