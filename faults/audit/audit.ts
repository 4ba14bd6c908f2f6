import type { Sighting } from '../load/sighting.ts'
import type { Happened } from '../plan/fault.ts'
import type { World } from '../world/world.ts'
import { checkBooks } from './books.ts'
import { type Comparison, compare } from './compare.ts'
import { excusesOf } from './excuses.ts'
import type { Watch } from './occupied.ts'
import { untilQuiet } from './quiescence.ts'
import { readRecords } from './records.ts'
import { checkSending } from './sent-twice.ts'
import { checkTraces } from './traces.ts'
import { verifyByProduct } from './verify.ts'
import type { Violation } from './violation.ts'

/** What has been seen and done so far. */
export interface Evidence {
  readonly sightings: readonly Sighting[]
  readonly happened: readonly Happened[]
  readonly watch: Watch
}

/** What an audit found. */
export interface Audit extends Omit<Comparison, 'violations'> {
  readonly violations: readonly Violation[]
  readonly records: number
}

/** Holds everything that can be known against everything else; the stack has to run, with nothing under way. */
export async function audit(world: World, { sightings, happened, watch }: Evidence): Promise<Audit> {
  const { sql } = world.database
  const unquiet = await untilQuiet(sql)
  const records = await readRecords(sql)
  const { violations: unlike, ...counts } = compare(sightings, records, excusesOf(happened))
  return {
    ...counts,
    records: records.size,
    violations: [
      ...unquiet,
      ...(await verifyByProduct(world)),
      ...(await checkBooks(sql, world.payers)),
      ...unlike,
      ...checkSending(world.backend.received.values(), records.size),
      ...checkTraces(world),
      ...(await watch.check(world)),
    ],
  }
}
