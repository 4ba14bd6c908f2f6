import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createIdentity } from '../../../egress/testing/identity.ts'
import { startDatabase } from './database.ts'
import { startForwarder } from './forwarder.ts'
import { prepareRouter } from './router.ts'
import { chatOf, type Running, type Subject } from './subject.ts'

/** What the verified path would take if it verified nothing: its floor. */
export const passage: Subject = {
  name: 'passage',
  description:
    'two bare forwarders with TLS 1.3 between them before the router, where the verified path has proxy and platform',
  isQuick: false,
  measures: ['requests-64', 'first-1', 'first-16'],
  async prepare(place) {
    const identityFile = join(place.folder, 'identity.pem')
    writeFileSync(identityFile, createIdentity().pem, { mode: 0o600 })
    const behind = prepareRouter(place, await startDatabase(place.core))
    return {
      async start() {
        const undo: Running[] = []
        const stop = async (): Promise<void> => {
          for (const each of undo.splice(0).reverse()) await each.stop()
        }
        const startOne = async (backendUrl: string, end: string) => {
          const one = await startForwarder('passage.ts', { ...place, backendUrl }, end, identityFile)
          undo.push(one)
          return {
            url: originOf(one),
            role: { ...one.roles[0]!, name: end === 'server' ? 'second' : 'first' },
          }
        }
        try {
          const router = await behind.start()
          undo.push(router)
          const second = await startOne(originOf(router), 'server')
          const first = await startOne(second.url, 'client')
          const { model, headers } = router.target
          return {
            ...router,
            target: chatOf(first.url, model, headers),
            roles: [first.role, second.role, ...router.roles],
            stop,
          }
        } catch (error) {
          await stop()
          throw error
        }
      },
      dispose: behind.dispose,
    }
  },
}

/** With `/v1`. */
function originOf({ target }: Running): string {
  return target.url.replace(/\/chat\/completions$/, '')
}
