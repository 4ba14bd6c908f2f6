import { type OutputOptions, print } from '#base/print.ts'
import { serveWarm } from '#base/serve-warm.ts'
import { untilStopped } from '#base/stop.ts'
import type { RunningProxyOutput } from '#contract/models'
import { loadProxyConfig } from '../config/proxy.ts'
import { watchConfig } from '../config/watch.ts'
import { createLog } from '../log.ts'
import { type RunningProxy, startProxy } from '../proxy.ts'

/** What `proxy run` takes. */
export interface RunOptions extends OutputOptions {
  readonly config: string
  readonly check?: true
  readonly withParent?: true
}

/** `proxy run`: serves until it is told to stop, then lets what runs come to its end. */
export async function run(options: RunOptions): Promise<void> {
  const load = () => loadProxyConfig(options.config, process.env)
  const config = load()
  if (options.check) {
    print(options, { ok: true, endpoints: config.endpoints.length }, [`${options.config} is in order.`])
    return
  }
  serveWarm()
  const log = createLog((line) => process.stderr.write(line))
  const stopped = untilStopped(options.withParent === true)
  const proxy = await startProxy({ config, log })
  const unwatch = watchConfig({ file: options.config, load, take: proxy.reconfigure, log })
  for (const { name, address } of proxy.endpoints) log.info('the proxy serves', { endpoint: name, address })
  const { endpoints } = proxy
  const document: RunningProxyOutput = {
    address: endpoints[0]!.address,
    pid: process.pid,
    endpoints: endpoints.map(({ name, address }) => ({ name, address })),
    ...(proxy.adminUrl !== undefined && { admin_url: proxy.adminUrl }),
  }
  print(options, document, inWords(proxy))
  log.info(`the proxy stops: ${await stopped}`)
  unwatch()
  await proxy.stop()
  log.info('the proxy has stopped')
}

function inWords({ endpoints, adminUrl }: RunningProxy): string[] {
  return [
    ...endpoints.map(
      ({ name, address }) =>
        `${name}: use ${address} as the base URL. Nothing is forwarded before it is verified.`,
    ),
    ...(adminUrl === undefined ? [] : [`Its state is shown at ${adminUrl}/`]),
  ]
}
