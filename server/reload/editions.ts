import type { Log } from '../log.ts'
import type { Edition } from './edition.ts'

/** One request among the editions. */
export interface Visit {
  /** The edition that it goes by to its end: the one in force at the first call. */
  enter(): Edition
  /** It has ended. Again, or without having entered, is harmless. */
  leave(): void
}

/** The edition in force, and those before it that still have requests. */
export interface Editions {
  readonly current: Edition
  /** Requests that go by an older one. */
  readonly olderCount: number
  visit(): Visit
  /** Puts one into force: requests that enter from now on use it. The one before is retired after its last request. */
  take(edition: Edition): void
  /** Closes all of them; whatever still runs fails. */
  close(): Promise<void>
}

/** Begins with one edition in force. */
export function createEditions(first: Edition, log: Log): Editions {
  const visitors = new Map([[first, 0]])
  const retiring = new Set<Promise<void>>()
  let current = first

  function change(edition: Edition, by: number): void {
    visitors.set(edition, visitors.get(edition)! + by)
    retireUnused(edition)
  }

  function retireUnused(edition: Edition): void {
    if (edition === current || visitors.get(edition)! > 0) return
    visitors.delete(edition)
    const retired = edition
      .retire()
      .catch((error) => log.warn('what an older configuration had open does not close', { error }))
      .finally(() => retiring.delete(retired))
    retiring.add(retired)
    log.info('nothing goes by an older configuration any more', { version: edition.version })
  }

  return {
    get current() {
      return current
    },
    get olderCount() {
      return [...visitors].reduce((sum, [edition, count]) => sum + (edition === current ? 0 : count), 0)
    },
    visit() {
      let entered: Edition | undefined
      return {
        enter() {
          if (entered === undefined) {
            entered = current
            change(entered, 1)
          }
          return entered
        },
        leave() {
          if (entered !== undefined) change(entered, -1)
          entered = undefined
        },
      }
    },
    take(edition) {
      const before = current
      visitors.set(edition, 0)
      current = edition
      retireUnused(before)
    },
    async close() {
      await Promise.all([...visitors.keys()].map((edition) => edition.close()))
      await Promise.all(retiring)
    },
  }
}
