import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ControlProxy, RunningProxyOutput, StartProxyCommand } from '#contract/models'
import { type Program, startCommand } from './program.ts'

/** The proxy in front of endpoints that the suite names: what the hook `startProxy` does for the reference. */
export interface ServedProxy {
  start(command: StartProxyCommand): Promise<ControlProxy>
  stop(): Promise<void>
}

/** Prepares it; each start replaces the one before, and what the proxy keeps stays in the folder. */
export function createServedProxy(folder: string, env: Readonly<Record<string, string>> = {}): ServedProxy {
  let program: Program | undefined
  const stop = async () => void (await program?.stop())
  mkdirSync(folder, { recursive: true })
  return {
    async start({ endpoints }) {
      await stop()
      const file = join(folder, 'proxy.yaml')
      const configured = endpoints.map((endpoint) => endpointConfig(endpoint, folder))
      writeFileSync(file, JSON.stringify({ dataDir: join(folder, 'data'), endpoints: configured }))
      program = await startCommand('proxy', file, env)
      const { endpoints: serving } = program.ready as unknown as RunningProxyOutput
      return { base_urls: serving.map(({ address }) => address) }
    },
    stop,
  }
}

function endpointConfig(
  { name, url, hostname, roots, pins, policies }: StartProxyCommand['endpoints'][number],
  folder: string,
): object {
  const files = roots.map((pem, index) => {
    const file = join(folder, `${name}-${index}.pem`)
    writeFileSync(file, pem)
    return { file }
  })
  const conditions = policies.map((allow, index) => ({ name: `policy-${index}`, allow }))
  return {
    ...{ name, url, hostname, pins, roots: files, listen: { host: '127.0.0.1', port: 0 } },
    ...(conditions.length > 0 && { policies: conditions }),
  }
}
