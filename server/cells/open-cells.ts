import { createKeyFinder, type FindKey } from '../admission/key-finder.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import type { Metric } from '../operations/metric.ts'
import { beginMonths } from '../retention/months.ts'
import type { DatabaseCell } from '../store/cells.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { away, placeOf, unlessAway } from './away.ts'
import { createCellMeter } from './cell-meter.ts'
import { createLocator } from './locator.ts'
import { cellMetrics } from './metric.ts'
import { createCellPart } from './part.ts'

/** What belongs to workspaces, wherever they live. */
export interface OpenCells {
  readonly meter: Meter
  readonly findKey: FindKey
  /** Reads what is a workspace's, from the database that it lives in, as `outlast` does. Throws 503 `overloaded`. */
  find<Result>(workspaceId: string, read: (sql: Sql) => Promise<Result>): Promise<Result>
  readonly metrics: readonly Metric[]
}

/** What they need from the world. */
export interface OpenCellsOptions {
  /** The home first. */
  readonly cells: readonly [DatabaseCell, ...DatabaseCell[]]
  /** Makes the meter of one cell. */
  readonly meterOn: (sql: Sql) => Meter
  readonly log: Log
}

/** Wires one meter and one key finder a cell together behind the directory; asks nothing yet. */
export function openCells({ cells, meterOn, log }: OpenCellsOptions): OpenCells {
  const [{ sql: homeSql }] = cells
  const locator = createLocator(homeSql)
  const [home, ...others] = cells.map(({ name, sql, prepare }) =>
    createCellPart({
      name,
      meter: meterOn(sql),
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
    async findKey(keyHash) {
      const place = await placeOf(keyHash, locator, home!.meter.isLeased)
      const find = place && finders.get(place.cell)
      if (!find) return undefined
      if (!isLeased.get(place.cell)!()) throw away()
      const found = await unlessAway(() => find(keyHash))
      if (!found) locator.forget(keyHash)
      return found
    },
    find: (workspaceId, read) =>
      unlessAway(async () => {
        const sql = databases.get(await locator.findCell(workspaceId)) ?? homeSql
        return await outlast(() => read(sql))
      }),
    metrics: cellMetrics(parts),
  }
}
