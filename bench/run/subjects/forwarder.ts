import { join } from 'node:path'
import { startServing } from '#base/starter.ts'
import { pinned } from '../cpu/cores.ts'
import { chatOf, type Subject } from './subject.ts'

const PROGRAM = join(import.meta.dirname, 'forwarder', 'main.ts')

/** The bare forwarder: what the promise is measured in. */
export const forwarder: Subject = {
  name: 'forwarder',
  description: 'bare node:http and undici `dispatch` (ours, bench/run/subjects/forwarder): the floor',
  prepare: async ({ backendUrl, core }) => ({
    async start() {
      const [file, args] = pinned(core, process.execPath, [PROGRAM, backendUrl])
      const { ready, child, stop } = await startServing<{ address: string }>({ file, args })
      return {
        target: chatOf(ready.address),
        roles: [{ name: 'forwarder', pid: child.pid! }],
        stop: async () => void (await stop()),
      }
    },
    dispose: async () => {},
  }),
}
