import { readFile } from 'node:fs/promises'
import type { Sql } from '../server/store/connection.ts'

const TICKS_PER_SECOND = 100

/** Processor time of the processes that serve a database's connections at the moment, in microseconds. */
export async function serverMicros(sql: Sql): Promise<number> {
  const backends = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database()`
  const ticks = await Promise.all(
    backends.map(async ({ pid }) => {
      const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ')
      return Number(fields[11]) + Number(fields[12])
    }),
  )
  return (ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND) * 1e6
}
