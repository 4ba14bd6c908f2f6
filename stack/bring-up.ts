import { type Account, openAccount } from './account.ts'
import { buildConsolePage } from './console-page.ts'
import { type CrewOptions, createCrew } from './crew.ts'
import { StartFailure } from './failure.ts'
import type { RealBackend } from './options.ts'
import { findOrCreateOwner } from './owner.ts'
import type { Places } from './places.ts'
import { defaultPorts } from './ports.ts'
import { untilPublished } from './published.ts'
import { answers } from './readiness.ts'
import { createRouterCommands, type RouterCommands } from './router-commands.ts'
import { modelIdOf } from './router-config.ts'
import type { StackFile } from './stackfile.ts'
import { type BackendAddresses, startProxy, startRouter, startStandIn } from './starting.ts'
import { type Verification, verifyEvidence } from './verification.ts'

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
  /** How its evidence was judged, as the proxy judges it. */
  readonly verification: Verification
  /** As of this moment. */
  describe(): StackFile
}

// A server on another machine may be asleep.
const REAL_BACKEND_MS = 5_000

/** Brings up the database, the backend, the console's page, the platform, the router, the proxy, a workspace and a key. */
export async function bringUp(options: BringUpOptions): Promise<Stack> {
  const { places, real, inherited, story, signal } = options
  const crew = createCrew(options)
  if (real) await findRealBackend(real)
  const page = buildConsolePage()
  // Asked for below; until then other things may fail.
  page.catch(() => undefined)
  const mayStop = (adopted: boolean): boolean => !adopted || inherited
  const postgres = await crew.startDatabase(places.dataDir, defaultPorts.postgres, mayStop)
  const backend: BackendAddresses = real ?? (await startStandIn(crew, places))
  await story.step('Console', () => page, { word: 'ready', remark: (said) => said })
  signal.throwIfAborted()
  const needs = { databaseUrl: postgres.url, backendUrl: backend.url, real }
  const addresses = await startRouter(crew, places, needs)
  const { platformUrl, digest } = addresses
  const proxyUrl = await startProxy(crew, places, addresses)
  const router = createRouterCommands(places, postgres.url)
  // Judged meanwhile: it takes as long.
  const judge = () => verifyEvidence({ platformUrl, rootPemFile: places.rootPem, pin: digest })
  const open = () => openAccount(router, () => findOrCreateOwner(postgres.url), new Date())
  const prepare = () => Promise.all([open(), judge(), untilPublished(proxyUrl, digest, signal)])
  const [account, verification] = await story.step('Account', prepare, {
    word: 'ready',
    remark: ([{ reused }]) => `workspace demo${reused ? ' of an earlier start' : ''} and a new key`,
  })
  signal.throwIfAborted()
  return { account, router, verification, describe }

  function describe(): StackFile {
    const { controlUrl } = backend
    const backendPid = crew.pidOf('backend')
    return {
      router_base_url: addresses.routerUrl,
      admin_url: addresses.adminUrl,
      proxy_base_url: proxyUrl,
      platform_url: platformUrl,
      platform_control_url: addresses.platformControlUrl,
      console_url: addresses.consoleUrl,
      outbox_url: addresses.outboxUrl,
      ...(controlUrl === undefined ? {} : { backend_control_url: controlUrl }),
      api_key: account.apiKey,
      workspace_id: account.workspace.id,
      model: modelIdOf(real),
      root_pem_file: places.rootPem,
      pins: [digest],
      database_url: postgres.url,
      database_dir: postgres.databaseDir,
      pids: {
        start: process.pid,
        router: crew.pidOf('router') ?? 0,
        proxy: crew.pidOf('proxy') ?? 0,
        platform: crew.pidOf('platform') ?? 0,
        postgres: postgres.pid(),
        ...(backendPid === undefined ? {} : { backend: backendPid }),
      },
    }
  }
}

async function findRealBackend({ url }: RealBackend): Promise<void> {
  if (await answers(`${url}/models`, REAL_BACKEND_MS)) return
  throw new StartFailure(`Nothing answers at ${url}.`, [
    'Is the model server running? The address usually ends in /v1, as in http://127.0.0.1:11434/v1.',
  ])
}
