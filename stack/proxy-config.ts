import { writeConfig } from './config-file.ts'
import type { Places } from './places.ts'
import { HOSTNAME } from './platform-config.ts'

/** What the proxy of this stack is told. */
export interface ProxySettings {
  readonly port: number
  readonly platformPort: number
  /** Digest of the deployment that is approved. */
  readonly pin: string
}

/** Writes the verifying proxy's configuration file. */
export function writeProxyConfig(
  { proxyConfig, proxyDir, rootPem }: Places,
  { port, platformPort, pin }: ProxySettings,
): void {
  writeConfig(proxyConfig, {
    dataDir: proxyDir,
    endpoints: [
      {
        name: 'router',
        listen: { host: '127.0.0.1', port },
        url: `https://127.0.0.1:${platformPort}/v1`,
        hostname: HOSTNAME,
        roots: [{ file: rootPem }],
        pins: [pin],
      },
    ],
  })
}
