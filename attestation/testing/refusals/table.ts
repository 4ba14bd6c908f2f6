import type { Changes } from '../evidence.ts'

/** By reason, the faults that give it, each by what it is: what is changed in a good case, or other bytes. */
export type Refusals = Readonly<Record<string, Readonly<Record<string, () => Changes | Uint8Array>>>>
