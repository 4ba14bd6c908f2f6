import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages } from '#base/install.ts'
import { freePort, startForeign } from './program.ts'
import { chatOf, type Subject, Unavailable } from './subject.ts'

/** Its version and all that it stands on, each with its hash. */
const LOCKED = join(import.meta.dirname, 'portkey')
const FILES = ['package.json', 'package-lock.json']

/** Below what `npm ci` clears, outside the dependencies of the tree. */
const CACHE = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'bench', 'portkey')

/** A gateway of the same kind without metering, as npm has it. */
export const portkey: Subject = {
  name: 'portkey',
  description:
    '@portkey-ai/gateway 1.15.2, no metering, with the two packages that it works with (hono 4.9.7)',
  async prepare({ folder, backendUrl, core }) {
    install()
    return {
      async start() {
        const port = await freePort()
        const origin = `http://127.0.0.1:${port}/v1`
        const program = join(CACHE, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js')
        const { pid, stop } = await startForeign({
          file: process.execPath,
          args: [program, `--port=${port}`, '--headless'],
          env: { NODE_ENV: 'production' },
          core,
          logFile: join(folder, 'portkey.log'),
          url: `http://127.0.0.1:${port}/`,
        })
        const headers = {
          authorization: 'Bearer none',
          'x-portkey-provider': 'openai',
          'x-portkey-custom-host': backendUrl,
        }
        return { target: chatOf(origin, undefined, headers), roles: [{ name: 'portkey', pid }], stop }
      },
      dispose: async () => {},
    }
  },
}

/** Installs it when it is first needed. */
function install(): void {
  mkdirSync(CACHE, { recursive: true })
  for (const file of FILES) {
    const bytes = readFileSync(join(LOCKED, file))
    const copy = join(CACHE, file)
    // Written anew it would look as if it had changed since the packages were installed.
    if (!existsSync(copy) || !readFileSync(copy).equals(bytes)) writeFileSync(copy, bytes)
  }
  try {
    installPackages(CACHE)
  } catch (error) {
    throw new Unavailable((error as Error).message)
  }
}
