import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { StartProxyCommand } from '#contract/models'
import { startRedis } from '../../server/limits/testing.ts'
import { startTestServer } from '../../server/store/testing.ts'
import type { Jump } from './clock.ts'
import {
  platformConfig,
  type RouterSurroundings,
  routerConfig,
  siblingConfig,
  spareConfig,
} from './configs.ts'
import { HOSTNAME, PUBLISHED } from './deployment.ts'
import { EXTERNAL, EXTERNAL_HOSTNAME } from './external.ts'
import { startHelper } from './helper.ts'
import { readOutbox } from './outbox.ts'
import { CLOSED_PORT, freePort } from './ports.ts'
import { buildConsolePage, type Program, startBackend, startCommand } from './program.ts'
import { startProxyProgram } from './proxy-program.ts'
import { startPublisher } from './publisher.ts'
import { createServedProxy } from './served-proxy.ts'
import { startSibling } from './sibling.ts'
import { targetConfig } from './target-file.ts'
import { layWires } from './wires.ts'

/** The reference, each part in a process of its own, and the target file that describes it. */
export interface Reference {
  readonly targetFile: string
  readonly folder: string
  stop(): Promise<void>
}

/** Says how what was started is stopped; undone in reverse order. */
type Undo = (step: () => unknown) => void

/** Starts database, scripted backend, platform, proxy and three routers, one of which lets itself be controlled. */
export async function startReference(): Promise<Reference> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  const steps: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const stop = async () => {
    for (const step of steps.splice(0).reverse()) await step()
  }
  try {
    return { folder, targetFile: await start(folder, (step) => void steps.push(step)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(folder: string, undo: Undo): Promise<string> {
  const write = (name: string, content: object | string) => {
    const file = join(folder, name)
    const text = typeof content === 'string' ? content : stringify(content, { aliasDuplicateObjects: false })
    writeFileSync(file, text)
    return file
  }
  const [routerPort, controlPort] = [await freePort(), await freePort()]
  const [siblingPort, adminPort, outboxPort] = [await freePort(), await freePort(), await freePort()]
  await buildConsolePage()
  const database = await startTestServer()
  undo(() => database.stop())
  const redis = await startRedis()
  undo(() => redis.stop())
  const backend = await startBackend()
  undo(() => backend.stop())
  const publisher = await startPublisher(PUBLISHED)
  undo(() => publisher.close())

  const backendUrl = String(backend.ready.url)
  const databaseUrl = await database.createDatabase()
  let platformUrl = ''
  const wires = await layWires({
    database: () => databaseUrl,
    sibling: () => databaseUrl,
    spare: () => databaseUrl,
    store: () => redis.url,
    backend: () => backendUrl,
    router: () => `http://127.0.0.1:${routerPort}`,
    proxy: () => platformUrl,
  })
  undo(() => wires.close())

  const platformFile = write(
    'platform.yaml',
    platformConfig({
      hostname: HOSTNAME,
      upstream: `http://127.0.0.1:${wires.portOf('router')}`,
      dataDir: join(folder, 'platform'),
    }),
  )
  const platform = await startCommand('platform', platformFile)
  undo(() => platform.stop())
  platformUrl = String(platform.ready.url)
  const rootPemFile = String(platform.ready.root_pem_file)
  const vendorFile = write(
    'vendor.yaml',
    platformConfig({
      hostname: EXTERNAL_HOSTNAME,
      upstream: new URL(backendUrl).origin,
      dataDir: join(folder, 'vendor'),
    }),
  )
  const vendor = await startCommand('platform', vendorFile)
  undo(() => vendor.stop())

  const surroundings = (wire: 'database' | 'sibling' | 'spare'): RouterSurroundings => ({
    databaseUrl: wires.through(wire, databaseUrl),
    backends: {
      usual: backendUrl,
      wired: wires.through('backend', backendUrl),
      closed: `http://127.0.0.1:${CLOSED_PORT}/v1`,
    },
    platformUrl,
    rootPemFile,
    publisherUrl: publisher.url,
    publisherPemFile: write('publisher.pem', publisher.root),
    dataDir: join(folder, wire),
    redisUrl: wire === 'sibling' ? wires.through('store', redis.url) : redis.url,
  })
  const routerFile = write(
    'router.yaml',
    routerConfig({ ...surroundings('database'), port: routerPort, controlPort, outboxPort }),
  )
  const router = await startCommand('router', routerFile)
  undo(() => router.stop())
  const controlUrl = `http://127.0.0.1:${controlPort}`
  await registerUpstream(controlUrl, vendor)

  const siblingFile = write(
    'sibling.yaml',
    siblingConfig({ ...surroundings('sibling'), port: siblingPort, adminPort }),
  )
  const sibling = await startSibling(siblingFile)
  undo(() => sibling.stop())

  const spareFile = write('spare.yaml', spareConfig(surroundings('spare')))
  const spare = await startCommand('router', spareFile)
  undo(() => spare.stop())

  const proxy = await startProxyProgram({
    folder,
    wiredUrl: wires.through('proxy', platformUrl),
    platformUrl,
    rootPemFile,
    pin: String(platform.ready.evidence_digest),
  })
  undo(() => proxy.stop())
  const served = createServedProxy(join(folder, 'served-proxy'))
  undo(() => served.stop())
  const helper = await startHelper({
    '/startProxy': (command) => served.start(command as unknown as StartProxyCommand),
    '/readMails': ({ to }) => readOutbox(outboxPort, String(to)),
    '/publishEvidence': ({ bundle }) => publisher.publish(String(bundle)),
    '/sibling/stop': () => sibling.end(),
    '/sibling/start': () => sibling.start(),
    '/proxy/restart': () => proxy.restart(),
    '/proxy/advance': (jump) => proxy.advance(jump as unknown as Jump),
    '/sibling/advance': (jump) => sibling.advance(jump as unknown as Jump),
  })
  undo(() => helper.close())

  return write(
    'target.yaml',
    targetConfig({
      routerPort,
      siblingUrl: sibling.address,
      siblingAdminUrl: sibling.adminAddress,
      spareUrl: String(spare.ready.address),
      proxyUrl: proxy.address,
      openProxyUrl: proxy.openAddress,
      proxySocket: proxy.socket,
      proxyPageUrl: proxy.pageAddress,
      platformUrl,
      rootPemFile,
      controlUrl,
      backendControlUrl: String(backend.ready.controlUrl),
      platformControlUrl: String(platform.ready.control_url),
      upstreamControlUrl: String(vendor.ready.control_url),
      helperUrl: helper.url,
      wireUrl: wires.controlUrlOf,
    }),
  )
}

/** Has the router know the external upstream that is admitted all the time. */
async function registerUpstream(controlUrl: string, { ready }: Program): Promise<void> {
  const registration = {
    endpoint: EXTERNAL,
    url: `${ready.url}/v1`,
    hostname: EXTERNAL_HOSTNAME,
    roots: [readFileSync(String(ready.root_pem_file), 'utf8')],
    pins: [ready.evidence_digest],
    api_key: 'the-key-of-an-external-upstream',
  }
  const body = JSON.stringify(registration)
  const response = await fetch(`${controlUrl}/registerUpstream`, { method: 'POST', body })
  if (!response.ok) throw new Error(`the upstream is not registered: ${await response.text()}`)
}
