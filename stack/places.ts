import { join, resolve } from 'node:path'

/** The clone's folder. */
export const HOME = resolve(import.meta.dirname, '..')

/** Where a stack keeps its files unless it is told otherwise. */
export const DEFAULT_DATA_DIR = join(HOME, '.data')

/** The files of one stack; all below its data folder. */
export interface Places {
  readonly dataDir: string
  /** What is up, for people and programs. */
  readonly stackFile: string
  /** Who starts or runs the stack, so that there is one starter only. */
  readonly starterFile: string
  readonly routerConfig: string
  readonly platformConfig: string
  /** The platform's keys and certificates. */
  readonly platformDir: string
  /** The authority that the platform has made; `platformDir` is where it puts it. */
  readonly rootPem: string
  readonly proxyConfig: string
  /** What the proxy remembers. */
  readonly proxyDir: string
  readonly logs: string
}

/** Names the files of a data folder. */
export function placesIn(dataDir: string): Places {
  return {
    dataDir,
    stackFile: join(dataDir, 'stack.json'),
    starterFile: join(dataDir, 'starter.json'),
    routerConfig: join(dataDir, 'router.yaml'),
    platformConfig: join(dataDir, 'platform.yaml'),
    platformDir: join(dataDir, 'platform'),
    rootPem: join(dataDir, 'platform/root.pem'),
    proxyConfig: join(dataDir, 'proxy.yaml'),
    proxyDir: join(dataDir, 'proxy'),
    logs: join(dataDir, 'logs'),
  }
}
