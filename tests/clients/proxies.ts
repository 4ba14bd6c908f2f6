import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadProxyConfig } from '../../proxy/config/proxy.ts'
import { silent } from '../../proxy/log.ts'
import { startProxy } from '../../proxy/proxy.ts'
import type { TestGateway } from '../gateway.ts'
import { layWire } from './wire.ts'

/** Verifying proxies in front of one gateway; addresses are with `/v1`. */
export interface Proxies {
  readonly admitting: string
  /** Expects another deployment than there is. */
  readonly denying: string
  /** Its connections can be cut. */
  readonly severed: string
  sever(): void
  stop(): Promise<void>
}

/** A digest that nothing has. */
const NOBODYS_PIN = `sha256:${'0'.repeat(64)}`

/** Starts them; pages of the origin may call through each. */
export async function startProxies({ gateway, endpoint }: TestGateway, origin: string): Promise<Proxies> {
  const folder = mkdtempSync(join(tmpdir(), 'proxies-'))
  const wire = await layWire(() => Number(new URL(gateway.url).port))
  const pin = gateway.platform.publication.evidenceDigest
  const config = {
    dataDir: 'data',
    endpoints: [
      entryOf('admitting', gateway.url, pin),
      entryOf('denying', gateway.url, NOBODYS_PIN),
      entryOf('severed', wire.url.replace('http:', 'https:'), pin),
    ],
  }
  const file = join(folder, 'proxy.yaml')
  writeFileSync(file, JSON.stringify(config))
  const proxy = await startProxy({ config: loadProxyConfig(file, {}), log: silent, drainMs: 1_000 })
  const [admitting, denying, severed] = proxy.endpoints.map(({ address }) => address)

  function entryOf(name: string, url: string, pinned: string) {
    return {
      name,
      listen: { host: '127.0.0.1', port: 0, origins: [origin] },
      url: `${url}/v1`,
      hostname: endpoint.hostname,
      roots: [{ file: gateway.rootPemFile }],
      pins: [pinned],
    }
  }

  return {
    admitting: admitting!,
    denying: denying!,
    severed: severed!,
    sever: wire.cut,
    async stop() {
      await proxy.stop()
      await wire.close()
      rmSync(folder, { recursive: true })
    },
  }
}
