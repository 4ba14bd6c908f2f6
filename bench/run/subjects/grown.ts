import { fillHistory } from '../../../server/history/testing.ts'
import { startDatabase } from './database.ts'
import { prepareRouter } from './router.ts'
import type { Subject } from './subject.ts'

const ROWS = 1_000_000
const SECONDS_APART = 30

/** The router on a database that has seen much. */
export const grown: Subject = {
  name: 'router-grown',
  description: 'the router with a million generations in its PostgreSQL, all of the workspace that asks',
  isQuick: false,
  measures: ['requests-64'],
  async prepare(place) {
    const database = await startDatabase(place.core)
    const { sql, workspaceId, keyId } = database
    try {
      await fillHistory(sql, { workspaceId, keyIds: [keyId], count: ROWS, secondsApart: SECONDS_APART })
      await sql`vacuum analyze`
      // What the filling wrote is not to be written on while others are measured.
      await sql`checkpoint`
    } catch (error) {
      await database.stop()
      throw error
    }
    return prepareRouter(place, database)
  },
}
