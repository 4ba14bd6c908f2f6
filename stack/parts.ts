import { join } from 'node:path'
import { startChild } from './children.ts'
import { HOME, type Places } from './places.ts'
import { untilReady } from './readiness.ts'
import type { Part } from './supervisor.ts'

// Ours: more than the router takes to drain (router-config.ts), which those in front of it wait for.
const SERVING_PATIENCE_MS = 10_000
const BACKEND_PATIENCE_MS = 2_000

/** Where the scripted backend is told to listen. */
export interface BackendPorts {
  readonly port: number
  readonly controlPort: number
}

/** The scripted model backend. */
export function backendPart({ logs }: Places, { port, controlPort }: BackendPorts, model: string): Part {
  const entry = join(HOME, 'conformance/stand-ins/backend/main.ts')
  const ports = ['--port', `${port}`, '--control-port', `${controlPort}`]
  return createPart('backend', 'The scripted backend', {
    file: process.execPath,
    args: [entry, ...ports, '--model', model],
    logs,
    patienceMs: BACKEND_PATIENCE_MS,
  })
}

/** The platform gateway: evidence and TLS in front of the router. */
export function platformPart({ logs, platformConfig }: Places): Part {
  return servingPart('platform', 'The platform', { logs, config: platformConfig })
}

/** The router; it finds the database in its environment. */
export function routerPart({ logs, routerConfig }: Places, databaseUrl: string): Part {
  const env = { DATABASE_URL: databaseUrl }
  return servingPart('router', 'The router', { logs, config: routerConfig, env })
}

/** The verifying proxy. */
export function proxyPart({ logs, proxyConfig }: Places): Part {
  return servingPart('proxy', 'The proxy', { logs, config: proxyConfig })
}

interface Serving {
  readonly logs: string
  readonly config: string
  readonly env?: Readonly<Record<string, string>>
}

/** One of the project's own programs; answers pass through it. */
function servingPart(
  name: Exclude<Part['name'], 'backend'>,
  title: string,
  { config, ...rest }: Serving,
): Part {
  const file = join(HOME, 'bin', name)
  const args = ['run', '--config', config]
  const part = createPart(name, title, { ...rest, file, args, patienceMs: SERVING_PATIENCE_MS })
  return { ...part, carriesAnswers: true }
}

type Program = Omit<Parameters<typeof startChild>[0], 'name'>

function createPart(name: Part['name'], title: string, program: Program): Part {
  return {
    name,
    title,
    start: () => startChild({ ...program, name }),
    untilReady: (child) => untilReady(title, child),
  }
}
