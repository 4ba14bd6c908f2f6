import type { ConsoleKey } from '#contract/console/models'

/** A key, without its text. */
export type { ConsoleKey }
