import { limits } from '#contract'
import type { Clock } from '#egress/clock.ts'
import type { Attest } from '#egress/evidence/attest.ts'
import type { EndpointConfig, ProxyConfig } from './config/proxy.ts'
import { createEndpoint, type Endpoint } from './endpoint.ts'
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
  /** With `/v1`. */
  readonly address: string
}

/** A proxy that serves. */
export interface RunningProxy {
  readonly endpoints: readonly ServedEndpoint[]
  /** Takes no new requests, lets what runs end, then cuts the rest. */
  stop(): Promise<void>
}

interface Part {
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
  const parts: Part[] = []
  const stop = async (limitMs: number) => {
    await Promise.all(parts.map(({ listener }) => listener.drain(limitMs)))
    await Promise.all(parts.map(({ endpoint }) => endpoint.stop()))
    await Promise.all(parts.map(({ listener }) => listener.drain(END_MS)))
    await Promise.all(parts.map(({ listener }) => listener.close()))
  }
  try {
    for (const each of config.endpoints) parts.push(await startEndpoint(each))
  } catch (error) {
    await stop(0)
    throw error
  }
  return { endpoints: parts.map(({ served }) => served), stop: () => stop(drainMs) }

  async function startEndpoint(each: EndpointConfig): Promise<Part> {
    const { log, clock, attest } = dependencies
    const endpoint = createEndpoint({
      config: each,
      newest,
      log,
      ...(clock && { clock }),
      ...(attest && { attest }),
    })
    try {
      const listener = await listen(each.listen, endpoint)
      const host = each.listen.host.includes(':') ? `[${each.listen.host}]` : each.listen.host
      const address = `http://${host}:${listener.port}/v1`
      return { endpoint, listener, served: { name: each.name, port: listener.port, address } }
    } catch (error) {
      await endpoint.stop()
      throw error
    }
  }
}
