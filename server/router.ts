import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '#contract'
import { createApp } from './app.ts'
import { createCatalogue } from './catalogue.ts'
import type { Listen, RouterConfig } from './config/router.ts'
import type { Control } from './control/control.ts'
import { ApiError } from './errors.ts'
import { createBudget } from './limits/budget.ts'
import { createSourceAddress } from './limits/source-address.ts'
import { createListener, listen } from './listener.ts'
import type { Log } from './log.ts'
import { createMeter, type MeterTimers } from './metering/meter.ts'
import { createOwnEndpoints } from './publication/own-endpoint.ts'
import { startPoller } from './publication/poller.ts'
import { createShelf, restore } from './publication/shelf.ts'
import { createRelay } from './relay/relay.ts'
import { createBodyMemory } from './routes/body-memory.ts'
import { getEndpointEvidence, getEvidence } from './routes/evidence.ts'
import { getGeneration } from './routes/generation.ts'
import { serveInference } from './routes/inference.ts'
import { getModel, listModels } from './routes/models.ts'
import type { Sql } from './store/connection.ts'
import { findGeneration } from './store/generations.ts'
import { createId } from './store/ids.ts'
import { createKeyFinder } from './store/key-finder.ts'
import { listBundles, saveBundle } from './store/publications.ts'
import { outlast } from './store/retry.ts'

/** What a router needs from the world; tests pass shorter timers. */
export interface RouterDependencies {
  readonly config: RouterConfig
  readonly sql: Sql
  readonly log: Log
  readonly now?: () => Date
  readonly meterTimers?: Partial<MeterTimers>
}

/** A router that serves. */
export interface Router {
  readonly port: number
  /** Where tests control it, when the configuration lets them. */
  readonly controlPort: number | undefined
  /** Takes no new work, lets what runs end until `drainMs` have passed, then ends it as aborted. */
  stop(): Promise<void>
}

/** Wires the router's rooms together and starts to listen. */
export async function startRouter(dependencies: RouterDependencies): Promise<Router> {
  const { config, sql, log, now = () => new Date(), meterTimers = {} } = dependencies
  const catalogue = createCatalogue(config.models)
  const keys = createKeyFinder(sql)
  const relay = createRelay({ models: config.models, timers: config.timers, log })
  const meter = createMeter({
    sql,
    allowOverdraftMicros: Number(config.allowOverdraftMicros),
    log,
    timers: meterTimers,
  })
  const shelf = createShelf()
  restore(shelf, config.endpoints, await listBundles(sql))
  const evidence = {
    shelf,
    endpoints: createOwnEndpoints(config.endpoints, config.publicBaseUrl),
    budget: createBudget(limits.evidencePerMinute, () => now().getTime()),
    sourceAddressOf: createSourceAddress(config.trustedProxies),
  }
  const draining = new AbortController()
  const inference = {
    catalogue,
    keys,
    meter,
    relay,
    shelf,
    memory: createBodyMemory(config.limits.bodyMemoryBytes),
    maxBodyBytes: config.limits.maxBodyBytes,
    createGenerationId: () => createId('gen-'),
    now,
    signal: draining.signal,
  }
  const app = createApp({
    handlers: {
      createChatCompletion: serveInference('chat', '/chat/completions', inference),
      listModels: listModels(catalogue, shelf),
      getModel: getModel(catalogue, shelf),
      getGeneration: getGeneration((workspaceId, id) => outlast(() => findGeneration(sql, workspaceId, id))),
      getEvidence: getEvidence(evidence),
      getEndpointEvidence: getEndpointEvidence(evidence),
    },
    keys,
    corsOrigins: config.corsOrigins,
    log,
  })
  const server = createListener(app.fetch)
  await meter.start()
  const port = await listen(server, config.listen).catch(async (error: unknown) => {
    await meter.stop()
    await relay.close()
    throw error
  })

  const poller = startPoller({
    endpoints: config.endpoints,
    shelf,
    save: (endpoint, publication) => saveBundle(sql, { endpoint, ...publication }),
    intervalMs: config.timers.evidencePollMs,
    log,
  })

  const control = config.testControl && (await openControl(sql, config.testControl, log))

  return {
    port,
    controlPort: control?.port,
    async stop() {
      await control?.stop()
      await poller.stop()
      const closed = once(server, 'close')
      server.close()
      // A connection is idle, and may be closed, once its answer has been handed over.
      const sweeper = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
      await within(closed, config.timers.drainMs)
      // What ends here has been metered: a second try would be paid twice (decisions, 7).
      const headers = { 'x-should-retry': 'false' }
      draining.abort(new ApiError('internal', 'The router is shutting down.', { headers }))
      await within(closed, END_MS)
      clearInterval(sweeper)
      server.closeAllConnections()
      await within(meter.drain(), END_MS)
      await relay.close()
      await meter.stop()
    },
  }
}

/** Only a configuration written for tests asks for this; its code is not even loaded otherwise. */
async function openControl(sql: Sql, address: Listen, log: Log): Promise<Control> {
  const { startControl } = await import('./control/control.ts')
  const control = await startControl({ sql, address })
  log.warn('TEST CONTROL IS OPEN: whoever reaches it owns every balance', {
    address: `http://${address.host}:${control.port}`,
  })
  return control
}

/** How often connections that have become idle are closed at the end (ours). */
const SWEEP_MS = 25

/** How long the last settlements and error events may take after a drain (ours). */
const END_MS = 5_000

async function within(event: Promise<unknown>, limitMs: number): Promise<void> {
  const timer = new AbortController()
  await Promise.race([event, sleep(limitMs, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
}
