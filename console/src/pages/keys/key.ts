import type { components } from '#contract/console/types'

/** A key, without its text. */
export type ConsoleKey = components['schemas']['ConsoleKey']
