import { messageOf } from '#base/thrown.ts'
import { claimCell } from '../store/cell-identity.ts'
import type { DatabaseCell } from '../store/cells.ts'
import { migrate } from '../store/migrations.ts'
import { isOutage, isUnreachable, OutageError } from '../store/outage.ts'

/**
 * A configured cell; nothing is asked of it yet. `findHome` resolves the id of the home that it is to belong to. Throws
 * `OutageError` where the cell is away: whoever can wait for it has to know it.
 */
export function createCell(
  name: string,
  { sql, bookings }: Pick<DatabaseCell, 'sql' | 'bookings'>,
  findHome: () => Promise<string>,
): DatabaseCell {
  async function prepare(): Promise<number> {
    const applied = await migrate(sql)
    await claimCell(sql, await findHome(), name)
    return applied
  }

  function blame(cause: unknown): never {
    if (cause instanceof Error && cause.name === 'ConfigError') throw cause
    const failure = isUnreachable(cause) ? 'cannot be reached' : 'cannot be used'
    const message = `The database of the cell ${name} ${failure}: ${messageOf(cause)}. See database.cells in the configuration.`
    throw isOutage(cause) ? new OutageError(message, { cause }) : new Error(message, { cause })
  }

  return { name, sql, bookings, prepare: () => prepare().catch(blame) }
}
