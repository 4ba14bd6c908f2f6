import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startDatabase } from './database.ts'
import { prepareRouter } from './router.ts'
import type { Running, Subject } from './subject.ts'

const ROUTERS = 3

/** Three routers that share a PostgreSQL, and the load: what a request costs then. */
export const replicas: Subject = {
  name: 'router-3',
  description: `${ROUTERS} routers on one PostgreSQL, all on the same core: what sharing it costs`,
  isQuick: false,
  measures: ['requests-64', 'requests-256'],
  async prepare(place) {
    const database = await startDatabase(place.core)
    return {
      async start() {
        const running: Running[] = []
        const stop = async (): Promise<void> => {
          await Promise.all(running.map((each) => each.stop()))
        }
        try {
          for (let number = 1; number <= ROUTERS; number++) {
            const folder = join(place.folder, String(number))
            mkdirSync(folder, { recursive: true })
            running.push(await prepareRouter({ ...place, folder }, database).start())
          }
        } catch (error) {
          await stop()
          throw error
        }
        const [first, ...others] = running as [Running, ...Running[]]
        return {
          ...first,
          others: others.map(({ target }) => target),
          roles: [
            ...others.flatMap(({ roles }) => roles.filter(({ name }) => name === 'router')),
            ...first.roles,
          ],
          stop,
        }
      },
      dispose: database.stop,
    }
  },
}
