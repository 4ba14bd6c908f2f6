/** What waits, in turns between those who own it. */
export interface FairQueue<Item> {
  readonly size: number
  add(owner: string, item: Item): void
  remove(owner: string, item: Item): void
  /** Takes the oldest of the owner whose turn it is; undefined when nothing waits. */
  take(): Item | undefined
}

/** A queue in which an owner's items wait behind each other, and not in front of anybody else's first one. */
export function createFairQueue<Item>(): FairQueue<Item> {
  /** In the order of their turns; nobody is in here without an item. */
  const owners = new Map<string, Set<Item>>()
  let size = 0

  function remove(owner: string, item: Item): void {
    const items = owners.get(owner)
    if (!items?.delete(item)) return
    size--
    if (items.size === 0) owners.delete(owner)
  }

  return {
    get size() {
      return size
    },
    add(owner, item) {
      const items = owners.get(owner) ?? new Set()
      items.add(item)
      owners.set(owner, items)
      size++
    },
    remove,
    take() {
      for (const [owner, items] of owners) {
        const [item] = items
        remove(owner, item!)
        // To the end of the turns, with what is left.
        if (items.size > 0) {
          owners.delete(owner)
          owners.set(owner, items)
        }
        return item
      }
      return undefined
    },
  }
}
