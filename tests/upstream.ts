import { readFileSync } from 'node:fs'
import { vi } from 'vitest'
import { type HardwareCondition, parseDigest } from '#attestation'
import type { SimulatedTee } from '#contract/models'
import type { UpstreamModelConfig } from '../server/config/router.ts'
import type { Sql } from '../server/store/connection.ts'
import { addUpstream } from '../server/upstreams/administration.ts'
import { startTestGateway, type TestGateway } from './gateway.ts'
import { chat, demoModel, SECRETS_KEY, type Service, type ServiceOptions, startService } from './service.ts'
import { type Switch, startSwitch } from './switch.ts'

/** The external upstream of these tests, and the key that it asks for. */
export const UPSTREAM = 'vendor'
export const HOSTNAME = 'vendor.localhost'
export const UPSTREAM_KEY = 'vendor-key-canary-1f0c7a'

/** The model that it serves. */
export const MODEL = 'vendor/large'

/** A router, and an upstream behind a platform gateway of its own; the scripted backend stands behind that. */
export interface World extends Service {
  readonly gateway: TestGateway
  /** Of the account that asks. */
  readonly apiKey: string
  /** The way from the router to the gateway. */
  readonly line: Switch
  /** Registers the upstream anew and waits for every router's verdict; its present deployment is pinned unless others are given. */
  register(pins?: readonly string[], attested?: readonly HardwareCondition[]): Promise<void>
  /** Waits until every model of the upstream is listed, or none is. */
  untilListed(isListed: boolean, baseUrl?: string): Promise<void>
  ask(body?: Readonly<Record<string, unknown>>, baseUrl?: string): Promise<Response>
}

/** Starts everything and registers the upstream. */
export async function startWorld({
  simulateTee,
  ...options
}: ServiceOptions & { readonly simulateTee?: SimulatedTee } = {}): Promise<World> {
  const service = await startService({
    models: (url) => [demoModel(url), upstreamModel(url)],
    ...options,
  })
  const played = simulateTee === undefined ? {} : { simulateTee }
  const gateway = await startTestGateway(new URL(service.backend.url).origin, HOSTNAME, played)
  const line = await startSwitch(Number(new URL(gateway.gateway.url).port))
  const { apiKey } = await service.createAccount(50_000_000n)
  let routers = 1
  const world: World = {
    ...service,
    gateway,
    line,
    apiKey,
    async register(pins, attested) {
      const { digest } = await gateway.control('/state')
      const upstream = {
        name: UPSTREAM,
        url: `https://127.0.0.1:${line.port}/v1`,
        hostname: HOSTNAME,
        roots: readFileSync(gateway.gateway.rootPemFile, 'utf8'),
        requireLeafName: true,
        attested,
        pins: (pins ?? [digest]).map(parseDigest),
        apiKey: UPSTREAM_KEY,
      }
      await addUpstream(service.sql, upstream, { secret: () => Buffer.from(SECRETS_KEY), replace: true })
      await vi.waitFor(() => firstVerdicts(service.sql, routers), { timeout: 20_000, interval: 20 })
    },
    async untilListed(isListed, baseUrl = service.baseUrl) {
      await vi.waitFor(
        async () => {
          if ((await listedModels(baseUrl, apiKey)).includes(MODEL) !== isListed) throw new Error('not yet')
        },
        { timeout: 20_000, interval: 20 },
      )
    },
    startReplica(changes) {
      routers += 1
      return service.startReplica(changes)
    },
    ask: (body = {}, baseUrl = service.baseUrl) => chat({ baseUrl }, apiKey, { model: MODEL, ...body }),
    async stop() {
      await service.stop()
      await line.close()
      await gateway.close()
    },
  }
  await world.register()
  return world
}

/**
 * Throws until so many routers have come to a verdict on the newest registration: one that still looks for its first
 * takes whoever answers then at his word.
 */
async function firstVerdicts(sql: Sql, routers: number): Promise<void> {
  const [row] = await sql<[{ judged: number }]>`
    select count(distinct replica)::integer as judged from upstream_events
    where number > (select max(number) from upstream_events where event = 'registered')
      and stage is distinct from 'attesting'`
  if (row.judged < routers) throw new Error(`judged by ${row.judged} of ${routers} routers`)
}

/** The ids that `GET /models` shows. */
async function listedModels(baseUrl: string, apiKey: string): Promise<string[]> {
  const response = await fetch(`${baseUrl}/models`, { headers: { authorization: `Bearer ${apiKey}` } })
  const { data } = (await response.json()) as { data: { id: string }[] }
  return data.map(({ id }) => id)
}

export function upstreamModel(backendUrl: string): UpstreamModelConfig {
  const { endpoint: _, backends: __, ...terms } = demoModel(backendUrl)
  return { ...terms, id: MODEL, upstream: { name: UPSTREAM, model: 'tiny-chat', usage: 'final' } }
}
