import { HOME } from './cells.ts'
import { columnsOf } from './columns.ts'
import type { Queryable, Sql } from './connection.ts'

/** Where a key's workspace lives. */
export interface KeyPlace {
  readonly cell: string
  readonly workspaceId: string
  readonly keyId: string
  /** Its workspace is paused on its way to another cell: nobody may be asked (OPS-29). */
  readonly isMoving?: true
}

/** A key that lives in another cell than home. */
export interface PlacedKey {
  readonly keyHash: Buffer
  readonly keyId: string
  readonly workspaceId: string
}

/** Where keys live, by the SHA-256 of their plaintext in hex: one statement, however many cells there are. */
export async function findPlaces(
  home: Queryable,
  hashes: readonly string[],
): Promise<(KeyPlace | undefined)[]> {
  const { text } = columnsOf(home, hashes)
  const rows = await home<PlaceRow[]>`
    select wanted.position::integer, d.workspace_id as "workspaceId", d.key_id as "keyId",
      coalesce(p.cell, ${HOME}) as cell, m.id is not null as "isMoving"
    from unnest(${text((hash) => hash)}::text[]) with ordinality as wanted (hash, position)
    join (
      select key_hash, workspace_id, key_id from key_directory
      union all
      select key_hash, workspace_id, key_id from placed_keys
    ) d on d.key_hash = decode(wanted.hash, 'hex')
    left join placed_workspaces p on p.workspace_id = d.workspace_id
    left join workspace_moves m on m.workspace_id = d.workspace_id and m.ended_at is null
      and m.state in ('paused', 'reopening', 'copied', 'cancelling')`
  const found = new Map(rows.map((row) => [row.position - 1, toPlace(row)]))
  return hashes.map((_, index) => found.get(index))
}

interface PlaceRow extends Omit<KeyPlace, 'isMoving'> {
  readonly position: number
  readonly isMoving: boolean
}

function toPlace({ cell, workspaceId, keyId, isMoving }: PlaceRow): KeyPlace {
  return { cell, workspaceId, keyId, ...(isMoving && { isMoving }) }
}

/** In which cell a workspace lives; home is also answered for one that is nowhere. */
export async function findCell(home: Queryable, workspaceId: string): Promise<string> {
  const [row] = await home<{ cell: string }[]>`
    select cell from placed_workspaces where workspace_id = ${workspaceId}`
  return row?.cell ?? HOME
}

/** In which cell a key lives, by its id; home is also answered for one that is nowhere. */
export async function findCellOfKey(home: Queryable, keyId: string): Promise<string> {
  const [row] = await home<{ cell: string }[]>`
    select p.cell from placed_keys k join placed_workspaces p on p.workspace_id = k.workspace_id
    where k.key_id = ${keyId}`
  return row?.cell ?? HOME
}

/** Which of these cells has the fewest workspaces; the first one of several. */
export async function findEmptiest(home: Queryable, names: readonly string[]): Promise<string> {
  const [row] = await home<{ name: string }[]>`
    select name from unnest(${[...names]}::text[]) with ordinality as c (name, position)
    order by case
      when name = ${HOME} then (
        select count(*) from workspaces w
        where not exists (select from placed_workspaces p where p.workspace_id = w.id and p.cell <> ${HOME})
      )
      else (select count(*) from placed_workspaces where cell = name)
    end, position limit 1`
  return row!.name
}

/** Writes down where a workspace is about to be made: one that then is not made is one that nobody knows. */
export async function placeWorkspace(home: Queryable, workspaceId: string, cell: string): Promise<void> {
  await home`insert into placed_workspaces (workspace_id, cell) values (${workspaceId}, ${cell})`
}

/** Writes down whose a key is, before its cell has it for good; a key that is not there is unknown to the cell. */
export async function placeKey(home: Queryable, { keyHash, keyId, workspaceId }: PlacedKey): Promise<void> {
  await home`
    insert into placed_keys (key_hash, workspace_id, key_id) values (${keyHash}, ${workspaceId}, ${keyId})`
}

/** Writes down in words where a workspace lives that has been at home from the beginning, before it leaves. */
export async function placeAtHome(home: Queryable, workspaceId: string): Promise<void> {
  await home`
    insert into placed_workspaces (workspace_id, cell) values (${workspaceId}, ${HOME}) on conflict do nothing`
}

/** Sends everybody who asks from now on to another cell. */
export async function switchCell(home: Queryable, workspaceId: string, cell: string): Promise<void> {
  await home`
    update placed_workspaces set cell = ${cell}, placed_at = clock_timestamp() where workspace_id = ${workspaceId}`
}

/** Workspaces and keys of a cell of which the directory says something else. */
export interface Misplaced {
  readonly check: 'placed_workspace' | 'placed_key'
  readonly workspaceId: string
  readonly subject: string
  /** The cell that it is in. */
  readonly cell: string
  /** Where the directory has it; null: nowhere. */
  readonly placedIn: string | null
}

interface Stored {
  readonly id: string
  readonly workspace_id: string
  /** In hex; null: it is a workspace. */
  readonly key_hash: string | null
}

/** Rows that are in memory at once, ours. */
const BATCH = 5_000

/**
 * Finds what home does not know to be in the cell that it is in; what is made meanwhile is known to home before. What
 * lies there of `elsewhere`'s workspaces is known to.
 */
export async function findMisplaced(
  home: Queryable,
  cell: string,
  sql: Sql,
  elsewhere: readonly string[] = [],
): Promise<Misplaced[]> {
  const misplaced: Misplaced[] = []
  await sql.begin('read only', async (transaction) => {
    const stored = transaction<Stored[]>`
      select * from (
        select id, id as workspace_id, null as key_hash from workspaces
        union all
        select key_id, workspace_id, encode(key_hash, 'hex') from key_directory
      ) stored where workspace_id <> all (${[...elsewhere]}::text[])`
    for await (const rows of stored.cursor(BATCH)) misplaced.push(...(await compare(home, cell, rows)))
  })
  return misplaced
}

async function compare(home: Queryable, cell: string, rows: readonly Stored[]): Promise<Misplaced[]> {
  const { text } = columnsOf(home, rows)
  const known = await home<{ id: string; cell: string }[]>`
    select workspace_id as id, cell from placed_workspaces
    where workspace_id = any (${text(({ id }) => id)}::text[])
    union all
    select k.key_id, p.cell from placed_keys k
    join placed_workspaces p on p.workspace_id = k.workspace_id
    where k.key_hash in (select decode(hash, 'hex') from unnest(${text(({ key_hash: hash }) => hash)}::text[]) hash)`
  const cells = new Map(known.map(({ id, cell: placed }) => [id, placed]))
  return rows.flatMap(({ id: subject, workspace_id: workspaceId, key_hash: hash }) => {
    const placedIn = cells.get(subject) ?? null
    const check = hash === null ? 'placed_workspace' : 'placed_key'
    return placedIn === cell ? [] : [{ check, workspaceId, subject, cell, placedIn }]
  })
}
