import { limits, routes } from '#contract'
import { createApp } from './app.ts'
import { createCatalogue } from './catalogue.ts'
import { isExternal, type ModelConfig, type RouterConfig } from './config/router.ts'
import { readSecretsKey } from './config/secrets-key.ts'
import type { Control, ControlWorld } from './control/control.ts'
import { findInvitation } from './invitations/invitations.ts'
import { createBudget } from './limits/budget.ts'
import { openBuckets } from './limits/open.ts'
import { createSourceAddress } from './limits/source-address.ts'
import { createListener, listen } from './listener.ts'
import type { Log } from './log.ts'
import { createMeter, type MeterTimers } from './metering/meter.ts'
import { type Admin, openAdmin } from './operations/admin.ts'
import { createCollector } from './operations/collect.ts'
import { createDrain, passes } from './operations/drain.ts'
import { createGauges } from './operations/gauges.ts'
import type { BucketName } from './operations/limit-metrics.ts'
import { createReadiness } from './operations/readiness.ts'
import { createRecorder } from './operations/recorder.ts'
import { createRequests } from './operations/requests.ts'
import { createOwnEndpoints } from './publication/own-endpoint.ts'
import { startPoller } from './publication/poller.ts'
import { createShelf, restore } from './publication/shelf.ts'
import { createRelay } from './relay/relay.ts'
import { createTokenizers } from './relay/tokenizer.ts'
import { createBodyMemory } from './routes/body-memory.ts'
import { bodyMetrics } from './routes/body-metrics.ts'
import { getEndpointEvidence, getEvidence } from './routes/evidence.ts'
import { getGeneration } from './routes/generation.ts'
import { serveInference } from './routes/inference.ts'
import { getInvitation } from './routes/invitation.ts'
import { getModel, listModels } from './routes/models.ts'
import type { Sql } from './store/connection.ts'
import { findGeneration } from './store/generations.ts'
import { createId } from './store/ids.ts'
import { createKeyFinder } from './store/key-finder.ts'
import { listBundles, saveBundle } from './store/publications.ts'
import { outlast } from './store/retry.ts'
import { createArchive } from './upstreams/archive.ts'
import { upstreamMetrics } from './upstreams/metric.ts'
import { tellUnregistered } from './upstreams/unregistered.ts'
import { createUpstreams } from './upstreams/upstreams.ts'

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
  /** Of the operator's listener, where there is one. */
  readonly adminPort: number | undefined
  /** Takes no new work, lets what runs end until `drainMs` have passed, then ends it as aborted. */
  stop(): Promise<void>
}

/** Wires the router's rooms together and starts to listen. */
export async function startRouter(dependencies: RouterDependencies): Promise<Router> {
  const { config, sql, log, now = () => new Date(), meterTimers = {} } = dependencies
  const ownModels = config.models.filter((model): model is ModelConfig => !isExternal(model))
  const keys = createKeyFinder(sql)
  const recorder = createRecorder(config.models.map(({ id }) => id))
  const requests = createRequests({ log, requestEnded: recorder.requestEnded })
  const drain = createDrain(config.timers)
  const { observe } = recorder
  const relay = createRelay({
    models: ownModels,
    timers: config.timers,
    maxEventBytes: config.limits.maxEventBytes,
    log,
    observe,
  })
  const tokenizers = createTokenizers(ownModels, log)
  const shelf = createShelf()
  restore(shelf, config.endpoints, await listBundles(sql))
  const buckets = await openBuckets({
    redis: config.redis,
    defaults: config.limits,
    now: () => now().getTime(),
    metrics: recorder.limits,
    log,
  })
  const meter = createMeter({
    sql,
    allowOverdraftMicros: Number(config.allowOverdraftMicros),
    buckets,
    log,
    timers: meterTimers,
  })
  const secret = () => readSecretsKey(config)
  const { connectMs } = config.timers
  const upstreams = createUpstreams({ sql, replica: meter.replica, secret, log, connectMs })
  const controlled = { sql, upstreams, secret, shelf, endpoints: config.endpoints }
  const catalogue = createCatalogue(config.models, upstreams.isInService)
  const sourceAddressOf = createSourceAddress(config.trustedProxies)
  const budgetOf = (bucket: BucketName, perMinute: number) =>
    createBudget(bucket, perMinute, () => now().getTime(), recorder.limits)
  const evidence = {
    shelf,
    endpoints: createOwnEndpoints(config.endpoints, config.publicBaseUrl),
    archive: createArchive(sql),
    log,
    budget: budgetOf('evidence', limits.evidencePerMinute),
    sourceAddressOf,
  }
  const invitations = {
    find: (code: string) => outlast(() => findInvitation(sql, code)),
    budget: budgetOf('invitations', limits.invitationLookupsPerMinute),
    sourceAddressOf,
  }
  const memory = createBodyMemory(
    config.limits.bodyMemoryBytes,
    config.limits.maxBodyBytes,
    createCollector(),
  )
  const inference = {
    catalogue,
    keys,
    meter,
    relay,
    tokenizers,
    shelf,
    upstreams,
    memory,
    maxBodyBytes: config.limits.maxBodyBytes,
    hasFreeModels: config.models.some(
      ({ pricing }) => pricing.promptMicros === 0 && pricing.completionMicros === 0,
    ),
    sourceAddressOf,
    createGenerationId: () => createId('gen-'),
    now,
    signal: drain.signal,
  }
  const app = createApp({
    handlers: {
      createChatCompletion: serveInference('chat', routes.createChatCompletion.path, inference),
      createCompletion: serveInference('completions', routes.createCompletion.path, inference),
      createEmbedding: serveInference('embeddings', routes.createEmbedding.path, inference),
      listModels: listModels({ catalogue, shelf, upstreams }),
      getModel: getModel({ catalogue, shelf, upstreams }),
      getGeneration: getGeneration(async (workspaceId, id) =>
        meter.isRunning(id) ? undefined : await outlast(() => findGeneration(sql, workspaceId, id)),
      ),
      getInvitation: getInvitation(invitations),
      getEvidence: getEvidence(evidence),
      getEndpointEvidence: getEndpointEvidence(evidence),
    },
    keys,
    corsOrigins: config.corsOrigins,
    requests,
    log,
  })
  const server = createListener(app.fetch, config.limits.maxHeaderBytes)
  const poller = startPoller({
    endpoints: config.endpoints,
    shelf,
    save: (endpoint, publication) => saveBundle(sql, { endpoint, ...publication }),
    intervalMs: config.timers.evidencePollMs,
    log,
  })
  let admin: Admin | undefined

  let control: Control | undefined

  async function close(): Promise<void> {
    await control?.stop()
    await poller.stop()
    await relay.close()
    await tokenizers.close()
    await upstreams.stop()
    await meter.stop()
    buckets.close()
    // Last, so that an operator can watch the stop.
    await admin?.close()
  }

  try {
    await meter.start()
    await upstreams.start()
    tellUnregistered(config.models, upstreams, log)
    if (config.admin) {
      const { endpoints } = config
      const activeRequests = () => requests.active
      const gauges = createGauges({ sql, meter, relay, shelf, endpoints, activeRequests, now })
      const notReady = createReadiness({
        isDraining: () => drain.isDraining,
        isLeased: () => meter.isLeased,
        askDatabase: () => sql`select 1`,
      })
      admin = await openAdmin(config.admin, {
        notReady,
        metrics: [...recorder.metrics, ...gauges, ...bodyMetrics(memory), ...upstreamMetrics(upstreams)],
        log,
      })
    }
    if (config.testControl) control = await openControl({ ...controlled, address: config.testControl }, log)
    return {
      port: await listen(server, config.listen),
      controlPort: control?.port,
      adminPort: admin?.port,
      async stop() {
        requests.endConnections()
        await drain.run(server)
        await passes(meter.drain(), SETTLE_MS)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Only a configuration written for tests asks for this; its code is not even loaded otherwise. */
async function openControl(world: ControlWorld, log: Log): Promise<Control> {
  const { startControl } = await import('./control/control.ts')
  const control = await startControl(world)
  const { address } = world
  log.warn('TEST CONTROL IS OPEN: whoever reaches it owns every balance', {
    address: `http://${address.host}:${control.port}`,
  })
  return control
}

/** How long the last settlements may take after a drain (ours). */
const SETTLE_MS = 5_000
