import { decodeTime, isValid, monotonicFactory } from 'ulid'
import { createChance } from '../chance.ts'

/** What an identifier names, by its prefix. */
export type IdPrefix =
  | 'acc_'
  | 'aud_'
  | 'gen-'
  | 'inv_'
  | 'key_'
  | 'led_'
  | 'mov_'
  | 'rep_'
  | 'ses_'
  | 'ups_'
  | 'ws_'

const nextUlid = monotonicFactory(createChance())

/** A new identifier; those of one process sort by the time they were made. */
export function createId(prefix: IdPrefix): string {
  return prefix + nextUlid()
}

/** Ten digits hold more than the time of a ULID, which holds more than a database's: up to the year 9000 or so (ours). */
const END_OF_TIME = '6D'

/** When an identifier was made, by the clock of whoever made it; undefined for what is none. */
export function timeOf(id: string): Date | undefined {
  const ulid = id.slice('gen-'.length)
  return isValid(ulid) && ulid < END_OF_TIME ? new Date(decodeTime(ulid)) : undefined
}
