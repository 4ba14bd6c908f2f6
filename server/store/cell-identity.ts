import { randomUUID } from 'node:crypto'
import { cellError, HOME } from './cells.ts'
import type { Queryable, Sql } from './connection.ts'

interface Identity {
  readonly homeId: string
  readonly name: string
}

/** Makes the database at `database.url` the home of cells, once, and resolves by what they know it. Throws `ConfigError`. */
export async function claimHome(home: Sql): Promise<string> {
  const { homeId, name } =
    (await findIdentity(home)) ?? (await claim(home, { homeId: randomUUID(), name: HOME }))
  if (name === HOME) return homeId
  throw notHome(name)
}

/**
 * Makes an empty database a cell of that home, once; of another's, or one that has workspaces, it makes none. Throws
 * `ConfigError`.
 */
export async function claimCell(sql: Sql, homeId: string, name: string): Promise<void> {
  const known = (await findIdentity(sql)) ?? (await claimEmpty(sql, { homeId, name }))
  if (known.homeId !== homeId) throw refuse(name, 'is the database of another deployment')
  if (known.name !== name) throw refuse(name, `is the database of the cell ${known.name}`)
}

/**
 * Throws `ConfigError` where workspaces live in a cell that the configuration does not name, and where the database at
 * `database.url` is a cell.
 */
export async function requireCells(home: Queryable, names: readonly string[]): Promise<void> {
  const [row] = await home<{ name: string | null; missing: string[] | null }[]>`
    select (select name from this_cell) as name, (
      select array_agg(distinct cell order by cell) from placed_workspaces where cell <> all (${[HOME, ...names]}::text[])
    ) as missing`
  const { name, missing } = row!
  if (name !== null && name !== HOME) throw notHome(name)
  if (missing) throw cellError('database.cells', `lacks ${missing.join(', ')}, and workspaces live there`)
}

function notHome(name: string): Error {
  return cellError('database.url', `is the database of the cell ${name}, and not the home of all`)
}

async function claimEmpty(sql: Sql, identity: Identity): Promise<Identity> {
  const [row] = await sql`select from workspaces limit 1`
  if (row) throw refuse(identity.name, 'has workspaces of its own, of which home knows nothing')
  return await claim(sql, identity)
}

function refuse(name: string, message: string): Error {
  return cellError(`database.cells.${name}`, message)
}

/** Of several at once, all hear of the first one. */
async function claim(sql: Sql, { homeId, name }: Identity): Promise<Identity> {
  await sql`insert into this_cell (home_id, name) values (${homeId}, ${name}) on conflict do nothing`
  return (await findIdentity(sql))!
}

async function findIdentity(sql: Sql): Promise<Identity | undefined> {
  const [row] = await sql<Identity[]>`select home_id as "homeId", name from this_cell`
  return row
}
