/** What has been started, so that all of it is stopped, the newest first, whatever happens. */
export interface Undo {
  keep<Part>(part: Part, end: (part: Part) => Promise<void>): Part
  all(): Promise<void>
}

/** Begins with nothing. What fails to stop keeps nothing else from being stopped. */
export function createUndo(): Undo {
  const ends: (() => Promise<void>)[] = []
  return {
    keep(part, end) {
      ends.push(() => end(part))
      return part
    },
    async all() {
      const failures: unknown[] = []
      for (const end of ends.splice(0).reverse()) await end().catch((error) => failures.push(error))
      if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be stopped.')
    },
  }
}
