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
  /** From when it is placed. */
  add(place: RunningPlace, running: Running): void
  /** When its hold has ended, or was never placed. */
  remove(place: RunningPlace): void
  /** Looks at each: for who asks seldom. */
  has(id: string): boolean
  readonly ids: ReadonlySet<string>
  readonly accepted: Iterable<Running>
  readonly size: number
  /** Resolves when there is none left. */
  empty(): Promise<void>
}

/** An empty set. */
export function createRunningSet(): RunningSet {
  const all = new Roster<Expected>()
  let onEmpty: (() => void)[] = []
  return {
    expect: (id) => all.add({ id, running: undefined }),
    add(place, running) {
      if (place.item) place.item.running = running
    },
    remove(place) {
      all.remove(place)
      if (all.size > 0) return
      for (const resolve of onEmpty) resolve()
      onEmpty = []
    },
    has(id) {
      for (const expected of all) if (expected.id === id) return true
      return false
    },
    get ids() {
      return new Set(Array.from(all, ({ id }) => id))
    },
    get accepted() {
      return Array.from(all, ({ running }) => running).filter((running) => running !== undefined)
    },
    get size() {
      return all.size
    },
    empty() {
      return all.size === 0 ? Promise.resolve() : new Promise((resolve) => onEmpty.push(resolve))
    },
  }
}
