import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SimulatedTee } from '#contract/models'
import { loadPlatformConfig } from '../platform/config.ts'
import { type Gateway, startGateway } from '../platform/gateway.ts'
import type { EndpointConfig } from '../server/config/router.ts'

const DEPLOYMENT = fileURLToPath(new URL('../platform/demo-deployment', import.meta.url))

/** A platform gateway with its evidence, as the router's configuration describes it. */
export interface TestGateway {
  readonly gateway: Gateway
  readonly endpoint: EndpointConfig
  /** Posts to the control address and gives the state. */
  control(path: string, body?: object): Promise<{ readonly digest: string; readonly issuedAt: string }>
  close(): Promise<void>
}

/** Starts a gateway on free ports, in front of `upstream`; it plays no hardware unless it is told to. */
export async function startTestGateway(
  upstream: string,
  hostname = 'router.localhost',
  played: { readonly simulateTee?: SimulatedTee } = {},
): Promise<TestGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  const file = join(folder, 'platform.yaml')
  const config = {
    listen: { host: '127.0.0.1', port: 0 },
    control: { host: '127.0.0.1', port: 0 },
    hostname,
    upstream,
    deployment: DEPLOYMENT,
    dataDir: 'data',
    ...played,
  }
  writeFileSync(file, JSON.stringify(config))
  const log = { info() {}, warn() {}, error() {} }
  const gateway = await startGateway(loadPlatformConfig(file, {}), { now: () => new Date(), log })
  const url = `${gateway.url}/.well-known/platform-evidence`
  return {
    gateway,
    endpoint: { name: 'demo', hostname, evidence: { hostname, url, caFile: gateway.rootPemFile } },
    async control(path, body) {
      const method = path === '/state' ? 'GET' : 'POST'
      const told = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(`${gateway.controlUrl}${path}`, { method, ...told })
      return (await answer.json()) as { digest: string; issuedAt: string }
    },
    async close() {
      await gateway.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A port that was free a moment ago, for a program that has to be told an address before anything listens there. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
