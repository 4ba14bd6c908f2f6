import { join } from 'node:path'
import { writeConfig } from './config-file.ts'
import { HOME, type Places } from './places.ts'

/** The hostname that the demo's evidence is for. */
export const HOSTNAME = 'router.localhost'

/** What is published as deployed: a sample. */
const DEPLOYMENT = join(HOME, 'platform/demo-deployment')

/** What the platform of this stack is told. */
export interface PlatformSettings {
  readonly port: number
  readonly controlPort: number
  readonly routerPort: number
}

/** Writes the platform gateway's configuration file. */
export function writePlatformConfig(
  { platformConfig, platformDir }: Places,
  { port, controlPort, routerPort }: PlatformSettings,
): void {
  writeConfig(platformConfig, {
    listen: { host: '127.0.0.1', port },
    control: { host: '127.0.0.1', port: controlPort },
    hostname: HOSTNAME,
    upstream: `http://127.0.0.1:${routerPort}`,
    dataDir: platformDir,
    deployment: DEPLOYMENT,
  })
}
