import type postgres from 'postgres'
import { isoTime } from '#base/iso.ts'
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
  readonly [Type in keyof Cells]: (pick: Pick<Item, Cells[Type]>) => postgres.Parameter<string>
}

/** Object ids of PostgreSQL's array types; fixed in its catalogue. */
const arrayTypes = { text: 1009, bigint: 1016, integer: 1007, boolean: 1000, timestamptz: 1185 }

/**
 * Turns a batch into columns, each in the words in which PostgreSQL reads an array. The driver would write them as well,
 * but searches each number of each request for what has to be escaped in a text. Their types are named because it would
 * otherwise guess them.
 */
export function columnsOf<Item>(sql: Queryable, items: readonly Item[]): Columns<Item> {
  function column<Cell>(type: number, write: (cell: Cell) => string) {
    return (pick: Pick<Item, Cell>): postgres.Parameter<string> => {
      const cells = items.map((item) => {
        const cell = pick(item)
        return cell === null ? 'null' : write(cell)
      })
      return sql.typed(`{${cells.join(',')}}`, type)
    }
  }
  return {
    text: column(arrayTypes.text, quoted),
    bigint: column(arrayTypes.bigint, plain),
    integer: column(arrayTypes.integer, plain),
    boolean: column(arrayTypes.boolean, plain),
    timestamptz: column(arrayTypes.timestamptz, (date: Date) => `"${isoTime(date.getTime())}"`),
  }
}

/** What a number or a truth value is called in both languages. */
function plain(cell: number | bigint | boolean): string {
  return cell.toString()
}

function quoted(text: string): string {
  const isPlain = !text.includes('"') && !text.includes('\\')
  return `"${isPlain ? text : text.replace(/["\\]/g, '\\$&')}"`
}
