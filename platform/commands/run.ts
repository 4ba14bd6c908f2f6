import { resolve } from 'node:path'
import { complain, printJson, printLines } from '#base/print.ts'
import { serveWarm } from '#base/serve-warm.ts'
import { untilStopped } from '#base/stop.ts'
import { loadPlatformConfig } from '../config.ts'
import { createSnapshot } from '../deployment/snapshot.ts'
import { startGateway } from '../gateway.ts'
import { createLog } from '../log.ts'

/** What `platform run` was asked for. */
export interface RunOptions {
  readonly config: string
  readonly check?: true
  readonly withParent?: true
  readonly json?: true
}

/** Runs the gateway until it is told to stop. */
export async function run(options: RunOptions): Promise<void> {
  const config = loadPlatformConfig(resolve(options.config), process.env)
  const { hostname, warnings } = config
  const now = () => new Date()
  const log = createLog((line) => process.stderr.write(line), now)
  if (options.check) {
    const evidence_digest = createSnapshot(config.resources).digest
    if (options.json) return print(options, { hostname, evidence_digest, warnings })
    for (const { path, message } of warnings) complain(`${path} ${message}.`)
    return print(options, { hostname, evidence_digest })
  }
  for (const { path, message } of warnings) log.warn(message, { path })
  serveWarm()
  const gateway = await startGateway(config, { now, log })
  const stopped = untilStopped(options.withParent === true)
  const { url, controlUrl, rootPemFile, platform } = gateway
  log.info('serving', { url, digest: platform.publication.evidenceDigest })
  print(options, {
    url,
    control_url: controlUrl ?? null,
    root_pem_file: rootPemFile,
    hostname,
    evidence_digest: platform.publication.evidenceDigest,
  })
  await stopped
  await gateway.close()
}

function print({ json }: RunOptions, ready: Readonly<Record<string, unknown>>): void {
  const lines = Object.entries(ready).filter(([, value]) => value !== null)
  if (json) printJson(JSON.stringify(ready))
  else printLines(lines.map(([name, value]) => `${name.replaceAll('_', ' ').padEnd(16)} ${value}`))
}
