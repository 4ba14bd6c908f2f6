import { limits } from '#contract/limits'
import { type Clock, systemClock } from '#egress/clock.ts'
import type { Attest } from '#egress/evidence/attest.ts'
import manifest from '../package.json' with { type: 'json' }
import { type Admin, openAdmin } from './admin/admin.ts'
import { statusOfEndpoint } from './admin/status.ts'
import type { EndpointView } from './admin/view.ts'
import { restartNeededFor } from './config/changes.ts'
import type { EndpointConfig, ProxyConfig } from './config/proxy.ts'
import { createEndpoint, type Endpoint } from './endpoint.ts'
import { openRecords } from './journal/open.ts'
import { type Listener, listen } from './listener/listener.ts'
import type { Log } from './log.ts'
import { openNewest } from './memory/newest.ts'

/** What a proxy needs from the world. */
export interface ProxyDependencies {
  readonly config: ProxyConfig
  readonly log: Log
  readonly clock?: Clock
  /** A check in place of the real one, for tests. */
  readonly attest?: Attest
  readonly drainMs?: number
}

/** An endpoint and where clients reach it. */
export interface ServedEndpoint {
  readonly name: string
  readonly port: number
  /** With `/v1`, or `unix:` and the path of a socket. */
  readonly address: string
}

/** A proxy that serves. */
export interface RunningProxy {
  readonly endpoints: readonly ServedEndpoint[]
  /** Where health, metrics and the status page are; undefined when they are nowhere. */
  readonly adminUrl: string | undefined
  /** Takes up what a changed configuration expects of endpoints, by their names; tells what needs a restart. */
  reconfigure(config: ProxyConfig): void
  /** Takes no new requests, lets what runs end, then cuts the rest. */
  stop(): Promise<void>
}

interface Part extends EndpointView {
  readonly endpoint: Endpoint
  readonly listener: Listener
  readonly served: ServedEndpoint
}

/** How long the last events of what was cut may take (ours). */
const END_MS = 1_000

/** Starts a proxy: requests are taken at once, and each waits for the verdict it needs. */
export async function startProxy(dependencies: ProxyDependencies): Promise<RunningProxy> {
  const { config, drainMs = limits.drainMs } = dependencies
  const newest = openNewest(config.dataDir)
  const records = await openRecords(config, dependencies.log)
  const parts: Part[] = []
  let admin: Admin | undefined
  let isServing = true
  const stop = async (limitMs: number) => {
    isServing = false
    await Promise.all(parts.map(({ listener }) => listener.drain(limitMs)))
    await Promise.all(parts.map(({ endpoint }) => endpoint.stop()))
    await Promise.all(parts.map(({ listener }) => listener.drain(END_MS)))
    await Promise.all(parts.map(({ listener }) => listener.close()))
    await admin?.close()
    await records.close()
  }
  try {
    for (const each of config.endpoints) parts.push(await startEndpoint(each))
    if (config.admin !== undefined) {
      const view = {
        version: manifest.version,
        startedAt: new Date(),
        endpoints: parts,
        isServing: () => isServing,
        journal: () => records.status(),
      }
      admin = await openAdmin(config.admin, view)
    }
  } catch (error) {
    await stop(0)
    throw error
  }
  return {
    endpoints: parts.map(({ served }) => served),
    adminUrl: admin?.url,
    reconfigure,
    stop: () => stop(drainMs),
  }

  function reconfigure(after: ProxyConfig): void {
    for (const { endpoint, served } of parts) {
      const expected = after.endpoints.find(({ name }) => name === served.name)
      if (expected !== undefined) endpoint.expect(expected)
    }
    for (const setting of restartNeededFor(config, after))
      dependencies.log.warn('a changed setting is taken up when the proxy is started anew', { setting })
  }

  async function startEndpoint(each: EndpointConfig): Promise<Part> {
    const { log, clock = systemClock, attest } = dependencies
    const endpoint = createEndpoint({
      config: each,
      newest,
      log,
      clock,
      recorder: records.of(each.name, each.target.hostname),
      ...(attest && { attest }),
    })
    try {
      const listener = await listen(each.listen, endpoint, log)
      const { address, port } = listener
      const sources = { config: each, endpoint, address, clock }
      return {
        endpoint,
        listener,
        served: { name: each.name, port, address },
        tally: endpoint.tally,
        status: () => statusOfEndpoint(sources),
        attest: () => endpoint.asked.ask(),
      }
    } catch (error) {
      await endpoint.stop()
      throw error
    }
  }
}
