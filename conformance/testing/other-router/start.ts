import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { ConformanceTarget } from '#contract/models'
import { platformConfig } from '../configs.ts'
import { startHelper } from '../helper.ts'
import { startBackend, startCommand } from '../program.ts'
import { Books } from './books.ts'
import { controlOf } from './control.ts'
import { Evidence } from './evidence.ts'
import { Invitations } from './invitations.ts'
import { Limits, REQUESTS_PER_MINUTE } from './limits.ts'
import { BASE, createRouter, type World } from './router.ts'

/** The other router with all that it needs, and the target file that describes it. */
export interface OtherRouter {
  readonly targetFile: string
  stop(): Promise<void>
}

const HOSTNAME = 'main.other.example'
const PING_MS = 900
const POLL_MS = 250

/** Starts the other router, a sibling that has no own endpoint to speak of, its backend and its platform. */
export async function startOtherRouter(
  change: (target: ConformanceTarget) => ConformanceTarget = (target) => target,
): Promise<OtherRouter> {
  const folder = mkdtempSync(join(tmpdir(), 'other-router-'))
  const steps: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const stop = async () => {
    for (const step of steps.splice(0).reverse()) await step()
  }
  const write = (name: string, content: object) => {
    const file = join(folder, name)
    writeFileSync(file, stringify(content))
    return file
  }
  try {
    const backend = await startBackend()
    steps.push(() => backend.stop())
    const upstream = 'http://127.0.0.1:9'
    const dataDir = join(folder, 'platform')
    const config = platformConfig({ hostname: HOSTNAME, upstream, dataDir })
    const platform = await startCommand('platform', write('platform.yaml', config))
    steps.push(() => platform.stop())
    const { url: platformUrl, root_pem_file: caFile, control_url: platformControl } = platform.ready
    const ca = readFileSync(String(caFile), 'utf8')
    const evidence = new Evidence({ url: String(platformUrl), hostname: HOSTNAME, ca }, POLL_MS)
    steps.push(() => evidence.stop())
    const [books, invitations] = [new Books(), new Invitations()]
    const world: World = {
      ...{ books, invitations, evidence, limits: new Limits(), own: 'main', pingMs: PING_MS },
      backendUrl: String(backend.ready.url),
    }
    const [router, sibling] = [createRouter(world), createRouter({ ...world, own: undefined })]
    const [baseUrl, siblingUrl] = [await listening(router), await listening(sibling)]
    for (const server of [router, sibling]) steps.push(() => close(server))
    const control = await startHelper(controlOf(books, invitations, evidence))
    steps.push(() => control.close())
    const hook = (name: string) => ({ url: `${control.url}/${name}` })
    const target: ConformanceTarget = {
      product: { name: 'The other router' },
      profiles: ['router'],
      claims: ['given'],
      ...{ baseUrl, siblingUrl, platformUrl: String(platformUrl), platformHostname: HOSTNAME },
      caFile: String(caFile),
      features: ['completions', 'embeddings', 'invitations', 'evidence', 'rate-limits'],
      models: {
        ...{ chat: 'parrot', other: 'starling', completions: 'quill', embeddings: 'compass', free: 'gift' },
        ...{ small: 'wren', failover: 'starling', unpublished: 'lantern', published: 'poster' },
      },
      endpoints: { own: 'main', published: 'shown' },
      believesForwarded: true,
      limits: {
        ...{ pingMs: PING_MS, evidencePollMs: POLL_MS, requestsPerMinute: REQUESTS_PER_MINUTE },
        ...{ maxBodyBytes: 200_000, firstByteMs: 14_000, idleMs: 60_000, resignMs: 3_000 },
      },
      timing: { slack: 5 },
      hooks: {
        ...Object.fromEntries(HOOKS.map((name) => [name, hook(name)])),
        databaseWire: hook('database'),
        backendScript: { url: String(backend.ready.controlUrl) },
        platformControl: { url: String(platformControl) },
      },
    }
    return { targetFile: write('target.yaml', change(target)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** No more than given rules need. */
const HOOKS = [
  ...['createWorkspace', 'createKey', 'updateKey', 'revokeKey', 'setBalance', 'debits'],
  ...['issueInvitation', 'redeemInvitation', 'publishEvidence'],
]

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE}`
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
