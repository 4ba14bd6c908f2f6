import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../server/store/connection.ts'
import { type Violation, violationsOf } from './violation.ts'

/** The contract gives a crash 30 s; a busy machine is slow, and what is slow is no violation. */
const PATIENCE_MS = 150_000
const LOOK_MS = 250

/** Waits until no hold is open. */
export async function untilQuiet(sql: Sql): Promise<Violation[]> {
  const latest = performance.now() + PATIENCE_MS
  for (;;) {
    const open = await sql<{ generation_id: string; replica_id: string }[]>`
      select generation_id, replica_id from holds`
    if (open.length === 0) return []
    if (performance.now() > latest) {
      const details = open.map(({ generation_id: id, replica_id: by }) => `hold of ${id} by ${by} is open`)
      return violationsOf('quiescence', details)
    }
    await sleep(LOOK_MS)
  }
}
