import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { demoModel, type Service, startService } from '../service.ts'
import { type CountingBackend, startCountingBackend } from './backend.ts'
import { HOSTNAME, type PlatformProgram, startPlatform } from './platform.ts'
import { type Program, startProgram } from './program.ts'
import { type Switch, startSwitch } from './switch.ts'

/** A client’s proxy in front of two platforms that a name can move between, a router and a model behind them. */
export interface World {
  /** Of the proxy, with `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly backend: CountingBackend
  readonly service: Service
  readonly platforms: readonly [PlatformProgram, PlatformProgram]
  readonly name: Switch
  /** Where the name leads now. */
  current: PlatformProgram
  /** What the proxy says of itself. */
  status(): Promise<ProxySays>
  /** How many checks have failed so far, by its log: known sooner than its status. */
  failures(): number
  stop(): Promise<void>
}

/** What a proxy says of itself, as far as it is used here. */
export interface ProxySays {
  readonly digest: string | undefined
  /** Checks that passed. */
  readonly passed: number
  /** Checks that did not. */
  readonly failed: number
  /** Every certificate that it has admitted so far. */
  readonly admitted: ReadonlySet<string>
}

interface Ready {
  readonly address: string
  readonly admin_url: string
}

/** More than the whole matrix can cost. */
const BALANCE_MICROS = 1_000_000_000n

/** Starts everything: real processes of the proxy and the platforms, a router with its database, a scripted model. */
export async function startWorld(longGapMs?: number): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'rotations-'))
  const undo: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })]
  const stop = async (): Promise<void> => {
    for (const each of undo.splice(0).reverse()) await each()
  }
  const keep = <Part>(part: Part, end: (part: Part) => Promise<void>): Part => {
    undo.push(() => end(part))
    return part
  }
  try {
    const backend = keep(await startCountingBackend(longGapMs), (part) => part.close())
    const models = () => [demoModel(backend.url)]
    const service = keep(await startService({ models }), (part) => part.stop())
    const { apiKey } = await service.createAccount(BALANCE_MICROS)
    const upstream = new URL(service.baseUrl).origin
    const platforms = [
      keep(await startPlatform(join(folder, 'first'), upstream), (part) => part.stop()),
      keep(await startPlatform(join(folder, 'second'), upstream), (part) => part.stop()),
    ] as const
    const name = keep(await startSwitch(platforms[0].port), (part) => part.close())
    const approval = await approve(platforms)
    const config = proxyConfig(name.port, approval)
    const proxyFolder = join(folder, 'proxy')
    mkdirSync(proxyFolder)
    const proxy = keep(await startProgram<Ready>('proxy', proxyFolder, config), async (part) => {
      await part.stop()
    })
    return {
      baseUrl: proxy.ready.address,
      apiKey,
      backend,
      service,
      platforms,
      name,
      current: platforms[0],
      status: () => ask(proxy),
      failures: () => proxy.log.filter((line) => line.includes('"the check failed"')).length,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Approved {
  readonly roots: readonly string[]
  readonly pins: readonly string[]
}

/** What a careful user approves of before a rotation: the roots and the deployments that are to come. */
async function approve(platforms: readonly PlatformProgram[]): Promise<Approved> {
  const states = await Promise.all(
    platforms.map(async (platform) => {
      const next = await platform.control('/rotate/deployment')
      const before = await platform.control('/rotate/deployment', { restore: true })
      const { rootPemFiles } = await platform.control('/prepare/root')
      return { roots: rootPemFiles, pins: [before.digest, next.digest] }
    }),
  )
  return {
    roots: states.flatMap(({ roots }) => roots),
    pins: [...new Set(states.flatMap(({ pins }) => pins))],
  }
}

function proxyConfig(port: number, { roots, pins }: Approved): object {
  const url = `https://${HOSTNAME}:${port}/v1`
  const endpoint = { name: 'main', listen: { port: 0 }, url, roots: roots.map((file) => ({ file })), pins }
  return { dataDir: 'data', admin: { port: 0 }, endpoints: [endpoint] }
}

async function ask({ ready, log }: Program<Ready>): Promise<ProxySays> {
  const read = async (path: string) => (await fetch(`${ready.admin_url}${path}`)).text()
  const [status, metrics] = [JSON.parse(await read('/status')), await read('/metrics')]
  const checks = [...metrics.matchAll(/^proxy_checks_total\{.*result="(\w+)".*\} (\d+)$/gm)]
  const sum = (isCounted: (result: string) => boolean) =>
    checks.reduce((total, [, result, count]) => total + (isCounted(result!) ? Number(count) : 0), 0)
  const admissions = log.map((line) => JSON.parse(line)).filter(({ state }) => state === 'admitted')
  return {
    digest: status.endpoints[0].verdict.evidence_digest,
    passed: sum((result) => result === 'passed'),
    failed: sum((result) => result !== 'passed'),
    admitted: new Set(admissions.map(({ certFingerprint }) => String(certFingerprint))),
  }
}
