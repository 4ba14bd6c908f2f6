import { join } from 'node:path'
import { startChild } from './children.ts'
import { HOME, type Places } from './places.ts'
import { untilReady } from './readiness.ts'
import type { Part } from './supervisor.ts'

// Ours: more than the router takes to drain (router-config.ts).
const ROUTER_PATIENCE_MS = 10_000
const BACKEND_PATIENCE_MS = 2_000

/** Where the scripted backend is told to listen. */
export interface BackendPorts {
  readonly port: number
  readonly controlPort: number
}

/** The scripted model backend. */
export function backendPart({ logs }: Places, { port, controlPort }: BackendPorts, model: string): Part {
  const name = 'backend'
  const title = 'The scripted backend'
  const entry = join(HOME, 'conformance/stand-ins/backend/main.ts')
  const args = [
    '--port',
    `${port}`,
    '--control-port',
    `${controlPort}`,
    '--model',
    model,
    '--with-parent',
    '--json',
  ]
  return {
    name,
    title,
    start: () =>
      startChild({
        name,
        file: process.execPath,
        args: [entry, ...args],
        logs,
        patienceMs: BACKEND_PATIENCE_MS,
      }),
    untilReady: (child) => untilReady(title, child),
  }
}

/** The router; it finds the database in its environment. */
export function routerPart({ logs, routerConfig }: Places, databaseUrl: string): Part {
  const name = 'router'
  const title = 'The router'
  return {
    name,
    title,
    start: () =>
      startChild({
        name,
        file: join(HOME, 'bin/router'),
        args: ['run', '--config', routerConfig, '--with-parent', '--json'],
        env: { DATABASE_URL: databaseUrl },
        logs,
        patienceMs: ROUTER_PATIENCE_MS,
      }),
    untilReady: (child) => untilReady(title, child),
  }
}
