import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClocks } from '../../conformance/testing/clocked.ts'
import { freePort } from '../../conformance/testing/ports.ts'
import { platformConfig, proxyConfig } from './configs.ts'
import { type ProgramSeat, startProgramSeat } from './program-seat.ts'

/** The platform in front of a router. */
export interface Platform {
  readonly seat: ProgramSeat
  readonly port: number
  /** Asks its control address to change something; throws when it is away. */
  control(path: string, body?: object): Promise<PlatformState>
}

/** What the control address says, as far as it is used here. */
export interface PlatformState {
  readonly digest: string
  readonly rootPemFiles: readonly string[]
}

/** A program whose clocks can be moved. */
export interface Clocked {
  readonly seat: ProgramSeat
  /** Its wall clock jumps. */
  step(milliseconds: number): void
}

/** The user's proxy in front of the platform. */
export interface UserProxy extends Clocked {
  /** With `/v1`. */
  readonly baseUrl: string
}

const CONTROL_PATIENCE_MS = 15_000
const RETRY_MS = 200
/** A proxy is tried for so long after it was denied: it looks again after 1 to 30 s. */
const ADMISSION_PATIENCE_MS = 120_000

/** Starts the platform on the port that the routers know it by. */
export async function startPlatform(folder: string, port: number, upstream: string): Promise<Platform> {
  const controlPort = await freePort()
  const config = join(folder, 'platform.yaml')
  const dataDir = join(folder, 'platform')
  writeFileSync(config, JSON.stringify(platformConfig({ port, controlPort, upstream, dataDir })))
  const seat = await startProgramSeat({ name: 'platform', program: 'platform', config })
  return {
    seat,
    port,
    async control(path, body) {
      const answer = await fetch(`http://127.0.0.1:${controlPort}${path}`, {
        method: path === '/state' ? 'GET' : 'POST',
        signal: AbortSignal.timeout(CONTROL_PATIENCE_MS),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`The platform answered ${answer.status} to ${path}.`)
      return (await answer.json()) as PlatformState
    },
  }
}

/** Starts the proxy, which approves of what the platform publishes now. */
export async function startProxy(folder: string, platform: Platform): Promise<UserProxy> {
  const { digest: pin, rootPemFiles: roots } = await platform.control('/state')
  const [port, adminPort] = [await freePort(), await freePort()]
  const dataDir = join(folder, 'proxy')
  mkdirSync(dataDir)
  const config = join(folder, 'proxy.yaml')
  const settings = { port, adminPort, platformPort: platform.port, dataDir, roots, pin }
  writeFileSync(config, JSON.stringify(proxyConfig(settings)))
  const clocked = await startClocked({ name: 'proxy', program: 'proxy', config, folder })
  return { ...clocked, baseUrl: `http://127.0.0.1:${port}/v1` }
}

/** Starts a program with a clock that can be moved. */
export async function startClocked(options: {
  readonly name: string
  readonly program: 'router' | 'proxy'
  readonly config: string
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  /** For the Node that it runs on. */
  readonly nodeOptions?: string
}): Promise<Clocked> {
  const { name, program, config, folder, env = {}, nodeOptions = '' } = options
  const clocks = createClocks(join(folder, `${name}-clock`))
  const NODE_OPTIONS = `${clocks.env.NODE_OPTIONS} ${nodeOptions}`
  const seat = await startProgramSeat({
    name,
    program,
    config,
    env: { ...env, ...clocks.env, NODE_OPTIONS, TMPDIR: folder },
  })
  return {
    seat,
    step(milliseconds) {
      const { pid } = seat
      if (pid === undefined) return
      clocks.jump({ kill: (name) => process.kill(pid, name) }, { milliseconds, clock: 'wall' })
    },
  }
}

/** Waits until the proxy lets requests pass again. */
export async function untilAdmitted(proxy: UserProxy): Promise<void> {
  const latest = performance.now() + ADMISSION_PATIENCE_MS
  for (;;) {
    try {
      const signal = AbortSignal.timeout(CONTROL_PATIENCE_MS)
      const { headers } = await fetch(`${proxy.baseUrl}/models`, { signal })
      if (headers.get('x-proxy-verdict') === 'allow') return
    } catch {
      // Not yet.
    }
    if (performance.now() > latest) throw new Error('The proxy does not admit what it is to admit.')
    await sleep(RETRY_MS)
  }
}
