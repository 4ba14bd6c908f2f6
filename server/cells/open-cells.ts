import { createKeyFinder, type FindKey } from '../admission/key-finder.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import type { Metric } from '../operations/metric.ts'
import { beginMonths } from '../retention/months.ts'
import type { DatabaseCell } from '../store/cells.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { askCell } from './ask-cell.ts'
import { away, unlessAway } from './away.ts'
import { createCellMeter } from './cell-meter.ts'
import { createLocator } from './locator.ts'
import { cellMetrics } from './metric.ts'
import { createCellPart } from './part.ts'

/** What belongs to workspaces, wherever they live. */
export interface OpenCells {
  readonly meter: Meter
  readonly findKey: FindKey
  /** Reads what is a workspace's, from the database that it lives in, as `outlast` does. Throws 503 `overloaded`. */
  find<Result>(
    workspaceId: string,
    read: (sql: Sql) => Promise<Result | undefined>,
  ): Promise<Result | undefined>
  readonly metrics: readonly Metric[]
}

/** What they need from the world. */
export interface OpenCellsOptions {
  /** The home first. */
  readonly cells: readonly [DatabaseCell, ...DatabaseCell[]]
  /** Makes the meter of one cell. */
  readonly meterOn: (cell: Pick<DatabaseCell, 'sql' | 'bookings'>) => Meter
  readonly log: Log
}

/** Wires one meter and one key finder a cell together behind the directory; asks nothing yet. */
export function openCells({ cells, meterOn, log }: OpenCellsOptions): OpenCells {
  const [{ sql: homeSql }] = cells
  const locator = createLocator(homeSql)
  const [home, ...others] = cells.map(({ name, sql, bookings, prepare }) =>
    createCellPart({
      name,
      meter: meterOn({ sql, bookings }),
      log,
      async prepare() {
        await prepare()
        await beginMonths(sql)
      },
    }),
  )
  const parts = [home!, ...others]
  const isLeased = new Map(parts.map(({ name, meter }) => [name, () => meter.isLeased]))
  const finders = new Map(cells.map(({ name, sql }) => [name, createKeyFinder(sql)]))
  const databases = new Map(cells.map(({ name, sql }) => [name, sql]))

  return {
    meter: createCellMeter({ home: home!, others, locator }),
    findKey: (keyHash) =>
      askCell({ locator, home: home!.meter }, keyHash, async ({ cell }) => {
        const find = finders.get(cell)
        if (!find) return undefined
        if (!isLeased.get(cell)!()) throw away()
        return await unlessAway(() => find(keyHash))
      }),
    find: (workspaceId, read) =>
      unlessAway(async () => {
        const readIn = (cell: string) => outlast(() => read(databases.get(cell) ?? homeSql))
        const cell = await locator.findCell(workspaceId)
        const found = await readIn(cell)
        if (found !== undefined) return found
        // It may have moved since; what it left behind in the old cell is as true as it was.
        const now = await locator.findCellAnew(workspaceId)
        return now === cell ? undefined : await readIn(now)
      }),
    metrics: cellMetrics(parts),
  }
}
