import { BlockList, isIP } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import type {
  PlatformConfig as PlatformFile,
  RootLabel,
  SignatureAlgorithm,
  SimulatedTee,
} from '#contract/models'
import { isPlatformConfig } from '#contract/validators/platform-config'
import { ConfigError, type ConfigProblem } from '../config/error.ts'
import { type Environment, loadConfig } from '../config/load.ts'
import { type DeploymentSource, readDeployment } from './deployment/render.ts'
import type { Resource } from './deployment/resource.ts'

/** Where something listens. Port 0 takes a free one. */
export interface Listen {
  readonly host: string
  readonly port: number
}

/** The gateway's configuration, checked and complete. */
export interface PlatformConfig {
  readonly listen: Listen
  readonly control: Listen | undefined
  readonly hostname: string
  readonly upstream: URL
  readonly dataDir: string
  readonly resignIntervalMs: number
  readonly algorithm: SignatureAlgorithm
  readonly hardware: RootLabel
  /** The hardware that is played for the root's quote; none unless the file says so. */
  readonly simulateTee: SimulatedTee | undefined
  readonly deployment: DeploymentSource
  /** What is deployed, as it was read at the start. */
  readonly resources: readonly Resource[]
  /** What in it looks like a credential, by its place. */
  readonly warnings: readonly ConfigProblem[]
}

const LISTEN: Listen = { host: '127.0.0.1', port: 8443 }
const CONTROL: Listen = { host: '127.0.0.1', port: 8444 }
// Ours: "every few minutes" (BNDL-05).
const RESIGN_INTERVAL_MS = 180_000

/** What a root names unless the file says otherwise. */
const labels: Readonly<Record<SimulatedTee, RootLabel>> = {
  snp: 'AMD SEV-SNP (QEMU)',
  tdx: 'Intel TDX (QEMU)',
}

/** Reads the gateway's configuration file and the deployment. Throws `ConfigError` naming every mistake. */
export function loadPlatformConfig(file: string, environment: Environment): PlatformConfig {
  const written = loadConfig(file, isPlatformConfig, environment) as PlatformFile
  const folder = dirname(file)
  const deployment = {
    file,
    folder: written.deployment === undefined ? undefined : resolve(folder, written.deployment),
    inline: written.resources ?? [],
  }
  const { resources, problems: mistakes, warnings } = readDeployment(deployment)
  const problems = [...contradictions(written), ...mistakes]
  if (problems.length > 0) throw new ConfigError(file, problems)
  return {
    listen: { ...LISTEN, ...written.listen },
    control: written.control && { ...CONTROL, ...written.control },
    hostname: written.hostname,
    upstream: new URL(written.upstream),
    dataDir: resolve(folder, written.dataDir ?? join('.data', 'platform')),
    resignIntervalMs: written.resignIntervalMs ?? RESIGN_INTERVAL_MS,
    algorithm: written.algorithm ?? 'ES256',
    hardware: written.tee ?? labels[written.simulateTee ?? 'tdx'],
    simulateTee: written.simulateTee,
    deployment,
    resources,
    warnings,
  }
}

/** What a schema cannot say. */
function contradictions({
  control,
  deployment,
  resources,
  upstream,
  hostname,
}: PlatformFile): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  if (!URL.canParse(upstream)) problems.push({ path: 'upstream', message: 'is not a URL' })
  if (isIP(hostname)) problems.push({ path: 'hostname', message: 'is an address; evidence is for a name' })
  if (control?.host !== undefined && !isLoopback(control.host)) {
    problems.push({
      path: 'control.host',
      message: 'must be a loopback address: anyone there can rotate keys',
    })
  }
  if (deployment === undefined && resources === undefined) {
    problems.push({
      path: 'deployment',
      message: 'is missing, and so is resources: nothing would be attested',
    })
  }
  return problems
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

function isLoopback(host: string): boolean {
  const family = isIP(host)
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 6 ? 'ipv6' : 'ipv4')
}
