import { countStill } from '../moving/count-still.ts'
import { type DatabaseCell, HOME } from '../store/cells.ts'
import type { Sql } from '../store/connection.ts'
import {
  findCell,
  findCellOfKey,
  findEmptiest,
  type PlacedKey,
  placeKey,
  placeWorkspace,
} from '../store/directory.ts'
import { createId } from '../store/ids.ts'
import { type OpenDatabase, withOpenDatabase } from './database.ts'
import { UsageError } from './usage.ts'

/** The databases of a command's workspaces. All of it costs nothing where there is one. */
export interface Cells {
  readonly home: Sql
  /** Whether there is more than the home. */
  readonly areSeveral: boolean
  /** What `ask` says of each cell, the home first. Throws where one is away. */
  each<Result>(ask: (sql: Sql, name: string) => Promise<Result>): Promise<Result[]>
  /** See `countStill`; with one database nothing lives elsewhere. */
  counting<Result>(
    count: (elsewhere: (cell: string) => readonly string[]) => Promise<Result>,
  ): Promise<Result>
  /** Does what nobody else does at the same time under that name, at any machine. Throws where somebody does. */
  alone<Result>(name: string, task: () => Promise<Result>): Promise<Result>
  /** The database of one by its name; home when it is undefined. Throws `UsageError` for a name that is none. */
  named(name: string | undefined): Promise<Sql>
  /** The database in which a workspace is, or would be. */
  ofWorkspace(id: string): Promise<Sql>
  /** The database in which a key is, or would be. */
  ofKey(id: string): Promise<Sql>
  /** Where a new workspace is to be made, under which id, once the directory knows of it. */
  place(name: string | undefined): Promise<{ readonly sql: Sql; readonly id: string; readonly name: string }>
  /** Has the directory know of a new key; undefined for one that it need not know of. */
  keyPlacing(sql: Sql): ((key: PlacedKey) => Promise<void>) | undefined
}

/** Runs a command that works on workspaces. */
export function withCells<Result>(
  configFile: string,
  use: (cells: Cells) => Promise<Result>,
): Promise<Result> {
  return withOpenDatabase(configFile, (database) => use(createCells(database)))
}

function createCells({ sql: home, cells, openBeside }: OpenDatabase): Cells {
  const all: readonly Pick<DatabaseCell, 'name' | 'sql'>[] = cells ?? [{ name: HOME, sql: home }]
  const ready = new Map<string, Promise<Sql>>()

  function open(name: string): Promise<Sql> {
    const opened = ready.get(name) ?? prepare(name)
    ready.set(name, opened)
    return opened
  }

  async function prepare(name: string): Promise<Sql> {
    if (name === HOME) return home
    const cell = cells?.find((one) => one.name === name)
    if (!cell) throw new UsageError(`There is no cell ${name}. See database.cells in the configuration.`)
    await cell.prepare()
    return cell.sql
  }

  return {
    home,
    areSeveral: cells !== undefined,
    counting: (count) => (cells ? countStill(home, count) : count(() => [])),
    async alone(name, task) {
      // For as long as a transaction lasts, so that PgBouncer keeps its hands off, and death ends it.
      const { result } = await openBeside(1).begin(async (transaction) => {
        await transaction`select set_config('idle_in_transaction_session_timeout', '0', true)`
        const [row] = await transaction<{ isAlone: boolean }[]>`
          select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as "isAlone"`
        if (!row!.isAlone) throw new Error(`Somebody else does this at the moment: ${name}.`)
        return { result: await task() }
      })
      return result
    },
    each: (ask) => Promise.all(all.map(async ({ name }) => await ask(await open(name), name))),
    named: (name = HOME) => open(name),
    ofWorkspace: async (id) => await open(cells ? await findCell(home, id) : HOME),
    ofKey: async (id) => await open(cells ? await findCellOfKey(home, id) : HOME),
    async place(asked) {
      const id = createId('ws_')
      const names = all.map(({ name }) => name)
      const name = asked ?? (cells ? await findEmptiest(home, names) : HOME)
      const sql = await open(name)
      if (name !== HOME) await placeWorkspace(home, id, name)
      return { sql, id, name }
    },
    keyPlacing: (sql) => (sql === home ? undefined : (key) => placeKey(home, key)),
  }
}
