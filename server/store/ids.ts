import { monotonicFactory } from 'ulid'
import { createChance } from '../chance.ts'

/** What an identifier names, by its prefix. */
export type IdPrefix = 'acc_' | 'aud_' | 'gen-' | 'inv_' | 'key_' | 'led_' | 'rep_' | 'ses_' | 'ups_' | 'ws_'

const nextUlid = monotonicFactory(createChance())

/** A new identifier; those of one process sort by the time they were made. */
export function createId(prefix: IdPrefix): string {
  return prefix + nextUlid()
}
