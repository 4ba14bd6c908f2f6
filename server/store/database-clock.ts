/**
 * Whoever asks the database for something that must not come late waits so much longer than the database has for it
 * (ours): when its client is told of an error, it is settled that nothing comes any more.
 */
export const HEARING = 1.05

/** The database's clock, as far as this router can tell it from its own. */
export interface DatabaseClock {
  /** Takes note that it showed `shown` at some time between two moments of `performance.now()`. */
  note(shown: Date, askedMs: number, answeredMs: number): void
  /** The earliest that it can show at a moment of `performance.now()`; undefined before it was first noted. */
  earliest(momentMs: number): Date | undefined
}

/** Of a second that has passed, so much doubt about two clocks' pace (ours): ten times what quartz runs wrong. */
const DOUBT_PER_MS = 0.001

/**
 * What was asked slowly tells little: it is noted only when what is known has grown older than that. So a database
 * that stood still leaves the better knowledge from before.
 */
export function createDatabaseClock(): DatabaseClock {
  let known: { readonly shownMs: number; readonly answeredMs: number; readonly doubtMs: number } | undefined

  return {
    note(shown, askedMs, answeredMs) {
      const doubtMs = answeredMs - askedMs
      const age = known === undefined ? 0 : answeredMs - known.answeredMs
      if (known !== undefined && doubtMs > known.doubtMs + age * DOUBT_PER_MS) return
      known = { shownMs: shown.getTime(), answeredMs, doubtMs }
    },
    earliest(momentMs) {
      if (known === undefined) return undefined
      // It was read before the answer came: by now it shows at least what has passed since then.
      return new Date(Math.floor(known.shownMs + momentMs - known.answeredMs))
    },
  }
}
