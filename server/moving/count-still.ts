import { isDeepStrictEqual } from 'node:util'
import type { Queryable } from '../store/connection.ts'
import { findElsewhere } from '../store/moves.ts'

/**
 * Has `count` count what lies in cells, and hands it, of each one, the workspaces that are not to be counted there. Throws
 * where one set out, or came to another cell, meanwhile: it may have been counted twice, or not at all (OPS-31).
 */
export async function countStill<Result>(
  home: Queryable,
  count: (elsewhere: (cell: string) => readonly string[]) => Promise<Result>,
): Promise<Result> {
  const elsewhere = await findElsewhere(home)
  const result = await count((cell) => elsewhere.get(cell) ?? [])
  if (isDeepStrictEqual(elsewhere, await findElsewhere(home))) return result
  throw new Error('A workspace has moved to another cell meanwhile. Run it again.')
}
