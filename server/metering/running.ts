import { type Entry, Roster } from '#base/roster.ts'

/** One accepted generation in this router's memory. */
export interface Running {
  readonly id: string
  readonly workspaceId: string
  /** Delivered so far. */
  completionTokens: number
  /** As of the last checkpoint. */
  writtenTokens: number
}

/** A generation whose hold may be placed. */
interface Expected {
  readonly id: string
  /** From when it is placed. */
  running: Running | undefined
}

/** Its place among all that this router answers for. */
export type RunningPlace = Entry<Expected>

/** All that this router answers for: a hold of its own that is not in here has been orphaned. */
export interface RunningSet {
  /** From before the hold may be placed. */
  expect(id: string): RunningPlace
  /** From when it is placed. Throws where the place was given up: such a hold would be taken for an orphan. */
  add(place: RunningPlace, running: Running): void
  /** When its hold has ended, or was never placed. */
  remove(place: RunningPlace): void
  has(id: string): boolean
  readonly ids: ReadonlySet<string>
  readonly accepted: Iterable<Running>
  readonly size: number
  /** Resolves when there is none left. */
  empty(): Promise<void>
}

/** A power of two, ours: so that who looks for one of some thousands looks at a few. */
const PARTS = 1_024

/**
 * An empty set, in parts by the ends of ids, which are drawn by chance: a table by id would make new ones all the time
 * (see `Roster`).
 */
export function createRunningSet(): RunningSet {
  const parts = Array.from({ length: PARTS }, () => new Roster<Expected>())
  const partOf = (id: string): Roster<Expected> =>
    parts[((id.charCodeAt(id.length - 2) << 5) ^ id.charCodeAt(id.length - 1)) & (PARTS - 1)]!
  let size = 0
  let onEmpty: (() => void)[] = []
  return {
    expect(id) {
      size++
      return partOf(id).add({ id, running: undefined })
    },
    add(place, running) {
      if (place.item === undefined) throw new Error('This generation has given up its place.')
      place.item.running = running
    },
    remove(place) {
      if (place.item === undefined) return
      partOf(place.item.id).remove(place)
      size--
      if (size > 0) return
      for (const resolve of onEmpty) resolve()
      onEmpty = []
    },
    has: (id) => partOf(id).some((expected) => expected.id === id),
    get ids() {
      return new Set(parts.flatMap((part) => Array.from(part, ({ id }) => id)))
    },
    get accepted() {
      const running = parts.flatMap((part) => Array.from(part, (expected) => expected.running))
      return running.filter((one) => one !== undefined)
    },
    get size() {
      return size
    },
    empty() {
      return size === 0 ? Promise.resolve() : new Promise((resolve) => onEmpty.push(resolve))
    },
  }
}
