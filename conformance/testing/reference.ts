import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { loadPlatformConfig } from '../../platform/config.ts'
import { startGateway } from '../../platform/gateway.ts'
import { loadProxyConfig } from '../../proxy/config/proxy.ts'
import { startProxy } from '../../proxy/proxy.ts'
import { loadRouterConfig } from '../../server/config/router.ts'
import type { Log } from '../../server/log.ts'
import { startRouter } from '../../server/router.ts'
import { startTestServer } from '../../server/store/testing.ts'
import { createBackend } from '../stand-ins/backend/backend.ts'
import { platformConfig, proxyConfig, routerConfig, targetConfig } from './configs.ts'

/** The reference in this process, with all that surrounds it, and the target file that describes it. */
export interface Reference {
  readonly targetFile: string
  readonly folder: string
  stop(): Promise<void>
}

const quiet = { info() {}, warn() {}, error() {} } satisfies Log

/** Starts a database, a scripted backend, the platform, a router that lets itself be controlled, and the proxy. */
export async function startReference(): Promise<Reference> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  const write = (name: string, value: object) => {
    const file = join(folder, name)
    writeFileSync(file, stringify(value, { aliasDuplicateObjects: false }))
    return file
  }
  const [port, closedPort] = [await freePort(), await freePort()]
  const backend = await createBackend({ paceMs: 1 })
  const server = await startTestServer()
  const { sql } = await server.open()
  const platformFile = write(
    'platform.yaml',
    platformConfig({ routerPort: port, dataDir: join(folder, 'platform') }),
  )
  const gateway = await startGateway(loadPlatformConfig(platformFile, {}), {
    now: () => new Date(),
    log: quiet,
  })
  const { url: platformUrl, rootPemFile } = gateway
  const routerFile = write(
    'router.yaml',
    routerConfig({ port, backendUrl: backend.url, closedPort, platformUrl, rootPemFile }),
  )
  const router = await startRouter({ config: loadRouterConfig(routerFile, {}), sql, log: quiet })
  const pin = gateway.platform.publication.evidenceDigest
  const proxyFile = write(
    'proxy.yaml',
    proxyConfig({ platformUrl, rootPemFile, pin, dataDir: join(folder, 'proxy') }),
  )
  const proxy = await startProxy({ config: loadProxyConfig(proxyFile, {}), log: quiet, drainMs: 1_000 })
  const targetFile = write(
    'target.yaml',
    targetConfig({
      routerPort: port,
      proxyAddress: proxy.endpoints[0]!.address,
      platformUrl,
      rootPemFile,
      controlUrl: `http://127.0.0.1:${router.controlPort}`,
      backendControlUrl: backend.controlUrl,
      platformControlUrl: gateway.controlUrl ?? '',
    }),
  )
  return {
    targetFile,
    folder,
    async stop() {
      await proxy.stop()
      await gateway.close()
      await router.stop()
      await backend.close()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A port at which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
