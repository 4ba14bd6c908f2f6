/** One accepted generation in this router's memory. */
export interface Running {
  readonly id: string
  readonly workspaceId: string
  /** Delivered so far. */
  completionTokens: number
  /** As of the last checkpoint. */
  writtenTokens: number
}

/** All that this router answers for: a hold of its own that is not in here has been orphaned. */
export interface RunningSet {
  /** From before the hold may be placed. */
  expect(id: string): void
  /** From when it is placed. */
  add(running: Running): void
  /** When its hold has ended, or was never placed. */
  remove(id: string): void
  has(id: string): boolean
  readonly accepted: Iterable<Running>
  readonly size: number
  /** Resolves when there is none left. */
  empty(): Promise<void>
}

/** An empty set. */
export function createRunningSet(): RunningSet {
  const all = new Map<string, Running | undefined>()
  let onEmpty: (() => void)[] = []
  return {
    expect(id) {
      all.set(id, undefined)
    },
    add(running) {
      all.set(running.id, running)
    },
    remove(id) {
      all.delete(id)
      if (all.size > 0) return
      for (const resolve of onEmpty) resolve()
      onEmpty = []
    },
    has(id) {
      return all.has(id)
    },
    get accepted() {
      return [...all.values()].filter((running) => running !== undefined)
    },
    get size() {
      return all.size
    },
    empty() {
      return all.size === 0 ? Promise.resolve() : new Promise((resolve) => onEmpty.push(resolve))
    },
  }
}
