import { type Database, startDatabase } from './database.ts'
import { MODEL, routerConfig, startProgram } from './router-program.ts'
import { chatOf, DATABASE, type Place, type Prepared, type Subject } from './subject.ts'

/** The router alone, on a PostgreSQL of its own, with every request metered and on the disk. */
export const router: Subject = {
  name: 'router',
  description:
    'bin/router with its PostgreSQL: every request authenticated, admitted, metered, settled on disk',
  prepare: async (place) => prepareRouter(place, await startDatabase(place.core)),
}

/** A router on a database, which it disposes of. */
export function prepareRouter(place: Place, database: Database, models = 1): Prepared {
  const config = routerConfig(database.url, place.backendUrl, models)
  return {
    async start() {
      const { ready, child, stop } = await startProgram<{ address: string }>('router', place, config)
      return {
        target: chatOf(ready.address, MODEL, { authorization: `Bearer ${database.apiKey}` }),
        roles: [
          { name: 'router', pid: child.pid! },
          { name: DATABASE, pid: database.pid },
        ],
        statements: database.statements,
        stop: async () => void (await stop()),
      }
    },
    dispose: database.stop,
  }
}
