import { type Account, openAccount } from './account.ts'
import { type Crew, type CrewOptions, createCrew } from './crew.ts'
import { StartFailure } from './failure.ts'
import type { RealBackend } from './options.ts'
import { backendPart, routerPart } from './parts.ts'
import type { Places } from './places.ts'
import { defaultPorts } from './ports.ts'
import { answers } from './readiness.ts'
import { createRouterCommands, type RouterCommands } from './router-commands.ts'
import { modelIdOf, STAND_IN_MODEL, writeRouterConfig } from './router-config.ts'
import type { StackFile } from './stackfile.ts'

/** What bringing up a stack needs. */
export interface BringUpOptions extends CrewOptions {
  readonly places: Places
  readonly real: RealBackend | undefined
  /** A starter was killed: a database that runs already is ours to stop. */
  readonly inherited: boolean
}

/** A stack that is up. */
export interface Stack {
  readonly account: Account
  readonly router: RouterCommands
  /** As of this moment. */
  describe(): StackFile
}

/** Where the model is asked, and where the stand-in is told what to answer. */
interface BackendAddresses {
  readonly url: string
  readonly controlUrl?: string
}

// A server on another machine may be asleep.
const REAL_BACKEND_MS = 5_000

/** Brings up the database, the backend, the router, a workspace and a key, one after the other. */
export async function bringUp(options: BringUpOptions): Promise<Stack> {
  const { places, real, inherited, story, signal } = options
  const crew = createCrew(options)
  if (real) await findRealBackend(real)
  const mayStop = (adopted: boolean): boolean => !adopted || inherited
  const postgres = await crew.startDatabase(places.dataDir, defaultPorts.postgres, mayStop)
  const backend = real ?? (await startStandIn(crew, places))
  const { router: routerPort } = await crew.startPart(
    'Router',
    { router: defaultPorts.router },
    ({ router }) => {
      writeRouterConfig(places, { port: router.port, backendUrl: backend.url, real })
      return routerPart(places, postgres.url)
    },
  )
  const router = createRouterCommands(places, postgres.url)
  const account = await story.step('Account', () => openAccount(router, new Date()), {
    word: 'ready',
    remark: ({ reused }) => `workspace demo${reused ? ' of an earlier start' : ''} and a new key`,
  })
  signal.throwIfAborted()
  return { account, router, describe }

  function describe(): StackFile {
    const controlUrl = 'controlUrl' in backend ? backend.controlUrl : undefined
    const backendPid = crew.pidOf('backend')
    return {
      router_base_url: `http://127.0.0.1:${routerPort.port}/v1`,
      ...(controlUrl === undefined ? {} : { backend_control_url: controlUrl }),
      api_key: account.apiKey,
      workspace_id: account.workspace.id,
      model: modelIdOf(real),
      database_url: postgres.url,
      database_dir: postgres.databaseDir,
      pids: {
        start: process.pid,
        router: crew.pidOf('router') ?? 0,
        postgres: postgres.pid(),
        ...(backendPid === undefined ? {} : { backend: backendPid }),
      },
    }
  }
}

async function startStandIn(crew: Crew, places: Places): Promise<BackendAddresses> {
  const wanted = { backend: defaultPorts.backend, backendControl: defaultPorts.backendControl }
  const ports = await crew.startPart('Backend', wanted, ({ backend, backendControl }) =>
    backendPart(places, { port: backend.port, controlPort: backendControl.port }, STAND_IN_MODEL),
  )
  return {
    url: `http://127.0.0.1:${ports.backend.port}/v1`,
    controlUrl: `http://127.0.0.1:${ports.backendControl.port}`,
  }
}

async function findRealBackend({ url }: RealBackend): Promise<void> {
  if (await answers(`${url}/models`, REAL_BACKEND_MS)) return
  throw new StartFailure(`Nothing answers at ${url}.`, [
    'Is the model server running? The address usually ends in /v1, as in http://127.0.0.1:11434/v1.',
  ])
}
