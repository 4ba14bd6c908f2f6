import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDatabase } from './database.ts'
import { MODEL, routerConfig, startProgram } from './router-program.ts'
import { chatOf, DATABASE, type Subject } from './subject.ts'

const HOSTNAME = 'router.localhost'
const DEPLOYMENT = join(import.meta.dirname, '..', '..', '..', 'platform', 'demo-deployment')

interface PlatformReady {
  readonly url: string
  readonly root_pem_file: string
  readonly evidence_digest: string
}

/** The whole verified path: the user's proxy, the platform's TLS in front of the router, the router. */
export const verified: Subject = {
  name: 'verified',
  description: 'bin/proxy, bin/platform (TLS) and bin/router with its PostgreSQL: every connection attested',
  async prepare(place) {
    const database = await startDatabase(place.core)
    return {
      async start() {
        const undo: (() => Promise<unknown>)[] = []
        const stop = async (): Promise<void> => {
          for (const each of undo.splice(0).reverse()) await each()
        }
        const startPart = async <Ready>(name: string, config: object) => {
          const part = await startProgram<Ready>(name, place, config)
          undo.push(() => part.stop())
          return part
        }
        try {
          const router = await startPart<{ address: string }>(
            'router',
            routerConfig(database.url, place.backendUrl),
          )
          const platform = await startPartIn(place.folder, 'platform', (dataDir) =>
            startPart<PlatformReady>('platform', {
              listen: { host: '127.0.0.1', port: 0 },
              control: { host: '127.0.0.1', port: 0 },
              hostname: HOSTNAME,
              upstream: new URL(router.ready.address).origin,
              dataDir,
              deployment: DEPLOYMENT,
            }),
          )
          const { url, root_pem_file, evidence_digest } = platform.ready
          const proxy = await startPartIn(place.folder, 'proxy', (dataDir) =>
            startPart<{ address: string }>('proxy', {
              dataDir,
              admin: { host: '127.0.0.1', port: 0 },
              endpoints: [
                {
                  name: 'bench',
                  listen: { host: '127.0.0.1', port: 0 },
                  url: `${url}/v1`,
                  hostname: HOSTNAME,
                  roots: [{ file: root_pem_file }],
                  pins: [evidence_digest],
                },
              ],
            }),
          )
          const headers = { authorization: `Bearer ${database.apiKey}` }
          const ca = readFileSync(root_pem_file, 'utf8')
          return {
            target: chatOf(proxy.ready.address, MODEL, headers),
            tlsTarget: { ...chatOf(`${url}/v1`, MODEL, headers), tls: { ca, hostname: HOSTNAME } },
            roles: [
              { name: 'proxy', pid: proxy.child.pid! },
              { name: 'platform', pid: platform.child.pid! },
              { name: 'router', pid: router.child.pid! },
              { name: DATABASE, pid: database.pid },
            ],
            statements: database.statements,
            stop,
          }
        } catch (error) {
          await stop()
          throw error
        }
      },
      dispose: database.stop,
    }
  },
}

async function startPartIn<Part>(
  folder: string,
  name: string,
  start: (dataDir: string) => Promise<Part>,
): Promise<Part> {
  return await start(mkdtempSync(join(folder, `${name}-data-`)))
}
