import type postgres from 'postgres'
import type { Queryable } from './connection.ts'

/** What an element of each kind of array may be. */
interface Cells {
  readonly text: string
  readonly bigint: number | bigint
  readonly integer: number
  readonly boolean: boolean
  readonly timestamptz: Date
}

/** Takes the column's value out of an item. */
type Pick<Item, Cell> = (item: Item) => Cell | null

/** The columns of a batch, each as one array parameter. */
export type Columns<Item> = {
  readonly [Type in keyof Cells]: (pick: Pick<Item, Cells[Type]>) => postgres.ArrayParameter
}

/** Object ids of PostgreSQL's array types; fixed in its catalogue. */
const arrayTypes = { text: 1009, bigint: 1016, integer: 1007, boolean: 1000, timestamptz: 1185 }

/**
 * Turns a batch into columns. Their types are named because the driver would otherwise guess them from the first
 * element, and a null or a boolean there makes it guess wrong.
 */
export function columnsOf<Item>(sql: Queryable, items: readonly Item[]): Columns<Item> {
  const column =
    (type: number) =>
    (pick: Pick<Item, Cells[keyof Cells]>): postgres.ArrayParameter =>
      sql.array(items.map(pick) as Cells[keyof Cells][], type) as postgres.ArrayParameter
  return {
    text: column(arrayTypes.text),
    bigint: column(arrayTypes.bigint),
    integer: column(arrayTypes.integer),
    boolean: column(arrayTypes.boolean),
    timestamptz: column(arrayTypes.timestamptz),
  }
}
