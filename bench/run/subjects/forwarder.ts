import { join } from 'node:path'
import { startServing } from '#base/starter.ts'
import { pinned } from '../cpu/cores.ts'
import { startDatabase } from './database.ts'
import { chatOf, DATABASE, type Place, type Running, type Subject } from './subject.ts'

/** The bare forwarder: what the promise is measured in. */
export const forwarder: Subject = {
  name: 'forwarder',
  description: 'bare node:http and undici `dispatch` (ours, bench/run/subjects/forwarder): the floor',
  prepare: async (place) => ({
    start: () => startForwarder('main.ts', place),
    dispose: async () => {},
  }),
}

/** What it becomes with a ledger, however little stands in that: the floor of whoever takes no answer for paid that is not on the disk. */
export const bookkeeper: Subject = {
  name: 'bookkeeper',
  description:
    'the bare forwarder, which commits a row before it asks the model and again before an answer ends',
  isQuick: false,
  async prepare(place) {
    const database = await startDatabase(place.core)
    return {
      async start() {
        const { roles, ...running } = await startForwarder('booking.ts', place, database.url)
        return {
          ...running,
          roles: [...roles, { name: DATABASE, pid: database.pid }],
          statements: database.statements,
        }
      },
      dispose: database.stop,
    }
  },
}

/** Starts one of the programs of `forwarder/`. */
export async function startForwarder(
  program: string,
  { backendUrl, core }: Place,
  ...args: string[]
): Promise<Running> {
  const main = join(import.meta.dirname, 'forwarder', program)
  const [file, all] = pinned(core, process.execPath, [main, backendUrl, ...args])
  const { ready, child, stop } = await startServing<{ address: string }>({ file, args: all })
  return {
    target: chatOf(ready.address),
    roles: [{ name: 'forwarder', pid: child.pid! }],
    stop: async () => void (await stop()),
  }
}
