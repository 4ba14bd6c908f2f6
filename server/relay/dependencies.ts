import type { Drains } from './drains.ts'
import type { Observe } from './observation.ts'
import type { Selection } from './selection.ts'
import type { RelayLog } from './settler.ts'
import type { RelayTimers } from './task.ts'

/** What relaying one request needs beside its task. */
export interface RelayDependencies {
  readonly selectionOf: (model: string) => Selection
  readonly timers: RelayTimers
  readonly maxEventBytes: number
  readonly drains: Drains
  readonly log: RelayLog
  readonly observe: Observe
}
