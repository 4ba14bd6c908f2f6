import { limits } from '#contract/limits'
import { createBatcher } from '../batch.ts'
import type { Sql } from '../store/connection.ts'
import { findCell, findPlaces, type KeyPlace } from '../store/directory.ts'
import { outlast, within } from '../store/retry.ts'

/** Where keys and workspaces live, as home's directory has it and as far as it was asked before. */
export interface Locator {
  /** Without asking; `keyHash` is the SHA-256 of a key's plaintext, in hex. */
  known(keyHash: string): KeyPlace | undefined
  /**
   * Undefined: no key is known by that hash. One whose workspace is moving is not remembered. Throws `OutageError` where
   * home would have to be asked and is away.
   */
  find(keyHash: string): Promise<KeyPlace | undefined>
  /** The name of a workspace's cell. Throws as `find` does. */
  findCell(workspaceId: string): Promise<string>
  /** The same, asked of home in any case. */
  findCellAnew(workspaceId: string): Promise<string>
  /** Has home asked again: the cell knows nothing of such a key, or its workspace has left it. */
  forget(keyHash: string): void
}

/** Keys of one statement, and places that are remembered (ours). */
const MAX_ITEMS = 512
const MAX_KEYS = 100_000

/** Remembers what was found, never what was not: an unknown key may have been made since. Those that come together share one statement. */
export function createLocator(home: Sql, maxKeys = MAX_KEYS): Locator {
  const places = new Map<string, KeyPlace>()
  const cells = new Map<string, string>()
  const batcher = createBatcher((hashes: readonly string[]) => outlast(() => findPlaces(home, hashes)), {
    maxItems: MAX_ITEMS,
  })

  async function findCellAnew(workspaceId: string): Promise<string> {
    const cell = await outlast(() => findCell(home, workspaceId))
    remember(cells, workspaceId, cell, maxKeys)
    return cell
  }

  return {
    known: (keyHash) => places.get(keyHash),
    async find(keyHash) {
      const known = places.get(keyHash)
      if (known) return known
      const place = await within(batcher.add(keyHash), limits.databaseOutageMs)
      if (place && !place.isMoving) {
        remember(places, keyHash, place, maxKeys)
        remember(cells, place.workspaceId, place.cell, maxKeys)
      }
      return place
    },
    findCell: async (workspaceId) => cells.get(workspaceId) ?? (await findCellAnew(workspaceId)),
    findCellAnew,
    forget(keyHash) {
      places.delete(keyHash)
    },
  }
}

function remember<Value>(known: Map<string, Value>, key: string, value: Value, most: number): void {
  known.delete(key)
  known.set(key, value)
  if (known.size > most) known.delete(known.keys().next().value!)
}
